// Generalised inverse Gaussian [jorgensen1982]: x^(p - 1) exp(-(a x + b / x) / 2) for x > 0. With x = sqrt(b / a) exp(t) the density of t is that of
// exp(p t - w cosh t), w = sqrt(a b), which falls so fast on both sides that the trapezoidal rule has all digits [trefethen2014]. There is no row in dist/table.cpp.
#include "dist/families/family.hpp"
#include "numerics/elementary.hpp"

namespace credo::dist::families::gen_inv_gaussian_family {
namespace {

using Numbers = std::vector<double>;

struct Shape {
  double p, w, scale;  // scale: sqrt(b / a)
  double log_kernel(double t) const { return p * t - w * std::cosh(t); }
  double mode() const { return std::asinh(p / w); }
};
Shape shape_of(Params eta) {
  const double a = -2.0 * eta[1], b = -2.0 * eta[2];
  return {eta[0] + 1.0, std::sqrt(a * b), std::sqrt(b / a)};
}

// Calls f(t, weight) for the nodes of the rule; weights are those of the kernel over its largest value, times the step.
template <class F>
void for_each_node(const Shape& shape, F f) {
  constexpr double kNegligible = -45.0;
  const double mode = shape.mode(), top = shape.log_kernel(mode);
  const double step = std::min(0.1, 0.25 / std::sqrt(shape.w * std::cosh(mode)));
  for (const int sign : {1, -1})
    for (int k = sign > 0 ? 0 : 1;; ++k) {
      const double t = mode + sign * k * step, log_weight = shape.log_kernel(t) - top;
      if (log_weight < kNegligible) break;
      f(t, step * std::exp(log_weight));
    }
}

Numbers statistic_at(double x) { return {numerics::log(x), x, 1.0 / x}; }
Numbers statistic(Params x, Params) { return statistic_at(x[0]); }
double log_carrier(Params, Params) { return 0.0; }
bool is_inside(Params eta) { return std::isfinite(eta[0]) && eta[1] < 0.0 && eta[2] < 0.0; }
double log_partition(Params eta, Params) {
  const Shape shape = shape_of(eta);
  double sum = 0.0;
  for_each_node(shape, [&](double, double weight) { sum += weight; });
  return shape.log_kernel(shape.mode()) + std::log(sum) + shape.p * std::log(shape.scale);
}
Numbers mean(Params eta, Params) {
  const Shape shape = shape_of(eta);
  Numbers sums(3, 0.0);
  double total = 0.0;
  for_each_node(shape, [&](double t, double weight) {
    const Numbers s = statistic_at(shape.scale * std::exp(t));
    for (std::size_t k = 0; k < 3; ++k) sums[k] += weight * s[k];
    total += weight;
  });
  for (double& sum : sums) sum /= total;
  return sums;
}
Numbers fisher(Params eta, Params known) {
  const Shape shape = shape_of(eta);
  const Numbers centre = mean(eta, known);
  Numbers sums(9, 0.0);
  double total = 0.0;
  for_each_node(shape, [&](double t, double weight) {
    const Numbers s = statistic_at(shape.scale * std::exp(t));
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        sums[j * 3 + k] += weight * (s[j] - centre[j]) * (s[k] - centre[k]);
    total += weight;
  });
  for (double& sum : sums) sum /= total;
  return sums;
}
Numbers to_natural(Params args) { return {args[0] - 1.0, -0.5 * args[1], -0.5 * args[2]}; }
Numbers to_args(Params eta, Params) { return {eta[0] + 1.0, -2.0 * eta[1], -2.0 * eta[2]}; }
// The inverse Gaussian distribution (p = -1/2) with these means of x and 1 / x.
Numbers near_mean(Params mean, Params) {
  const double shape = 1.0 / (mean[2] - 1.0 / mean[1]);
  return {-1.5, -0.5 * shape / (mean[1] * mean[1]), -0.5 * shape};
}
// Rejection from a uniform distribution with exponential tails [devroye1986, sec. 7.2]: the density of t is log-concave, and its largest value is M.
double draw(Rng& rng, Params eta, Params known) {
  const Shape shape = shape_of(eta);
  const double mode = shape.mode(), top = shape.log_kernel(mode);
  const double largest =
      std::exp(top - log_partition(eta, known) + shape.p * std::log(shape.scale));
  for (;;) {
    const double side = rng.uniform() < 0.5 ? -1.0 : 1.0;
    const bool is_in_tail = rng.uniform() < 0.5;
    const double e = is_in_tail ? rng.exponential() : 0.0,
                 t = mode + side * (is_in_tail ? 1.0 + e : rng.uniform()) / largest;
    if (std::log(rng.uniform()) <= shape.log_kernel(t) - top + e) return shape.scale * std::exp(t);
  }
}
}  // namespace

extern const ExponentialFamily gen_inv_gaussian{.name = "gen_inv_gaussian",
                                                .distribution = "",
                                                .statistics = {"log x", "x", "1 / x"},
                                                .naturals = {"p - 1", "-a / 2", "-b / 2"},
                                                .carrier = "0",
                                                .reference = "jorgensen1982",
                                                .statistic = statistic,
                                                .log_carrier = log_carrier,
                                                .is_inside = is_inside,
                                                .log_partition = log_partition,
                                                .mean = mean,
                                                .fisher = fisher,
                                                .to_natural = to_natural,
                                                .to_args = to_args,
                                                .near_mean = near_mean,
                                                .draw = draw};

}  // namespace credo::dist::families::gen_inv_gaussian_family
