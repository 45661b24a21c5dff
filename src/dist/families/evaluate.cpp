// Functions of any exponential family: log density, entropy, draws, and natural parameters of given means.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "base/error.hpp"
#include "dist/families/family.hpp"
#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::dist {
namespace {

using Numbers = std::vector<double>;

double dot(Params a, Params b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// Newton's step at `natural`: the solution of fisher . step = mean - E t.
Numbers newton_step(const ExponentialFamily& family, Params natural, Params gap, Params known) {
  Numbers fisher = family.fisher(natural, known), pivots(gap.size());
  Numbers step(gap.begin(), gap.end());
  const Index n = ssize(step);
  numerics::lu_factor(n, fisher.data(), pivots.data());
  numerics::lu_solve({.n = n, .cols = 1}, fisher.data(), pivots.data(), step.data());
  return step;
}

Numbers gap_to(const ExponentialFamily& family, Params mean, Params natural, Params known) {
  Numbers gap = family.mean(natural, known);
  for (std::size_t i = 0; i < gap.size(); ++i) gap[i] = mean[i] - gap[i];
  return gap;
}

Numbers moved(Params from, double by, Params step) {
  Numbers to(from.begin(), from.end());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += by * step[i];
  return to;
}

// The convex function that Newton's method minimises.
double dual(const ExponentialFamily& family, Params natural, Params mean, Params known) {
  return family.is_inside(natural) ? family.log_partition(natural, known) - dot(natural, mean)
                                   : kInfinity;
}

// The side n of vectors and matrices with `size` numbers in all.
Index side_of(std::span<const ArgShape> shapes, Index size) {
  for (Index n = 0; n <= size; ++n) {
    Index all = 0;
    for (const ArgShape shape : shapes)
      all += shape == ArgShape::number ? 1 : shape == ArgShape::vector ? n : n * n;
    if (all == size) return n;
  }
  CREDO_ASSERT(false, "arguments have the shapes of their family");
  return 0;
}

[[noreturn]] void no_such_mean(const ExponentialFamily& family, Params mean) {
  throw Error(ErrorCode::evaluation,
              fmt::format("no natural parameters have the mean ({}) of ({})", fmt::join(mean, ", "),
                          fmt::join(family.statistics, ", ")),
              std::string(family.name),
              "a mean must lie inside the convex hull of the statistics' values");
}

}  // namespace

std::vector<Expr> shaped(const ExponentialFamily& family, Params args) {
  std::vector<ArgShape> shapes = family.shapes;
  if (shapes.empty()) shapes.assign(args.size(), ArgShape::number);
  const Index side = side_of(shapes, ssize(args));
  std::vector<Expr> all;
  std::size_t begin = 0;
  for (const ArgShape shape : shapes) {
    const Index size = shape == ArgShape::number   ? 1
                       : shape == ArgShape::vector ? side
                                                   : side * side;
    const Params part = args.subspan(begin, static_cast<std::size_t>(size));
    begin += part.size();
    if (shape == ArgShape::number) all.emplace_back(part[0]);
    if (shape == ArgShape::vector) all.push_back(graph::constant(graph::vector_shape(side), part));
    if (shape == ArgShape::square)
      all.push_back(graph::constant(graph::matrix_shape(side, side), part));
  }
  return all;
}

Numbers known_of(const ExponentialFamily& family, Params args) {
  Numbers known;
  const std::vector<Expr> all = shaped(family, args);
  for (const std::size_t i : family.known_args) known.push_back(all[i].value());
  return known;
}

double log_density(const ExponentialFamily& family, Params x, Params natural, Params known) {
  return dot(natural, family.statistic(x, known)) + family.log_carrier(x, known) -
         family.log_partition(natural, known);
}

double entropy(const ExponentialFamily& family, Params natural, Params known) {
  if (family.distribution.empty())
    return family.log_partition(natural, known) - dot(natural, family.mean(natural, known));
  const Distribution& d = *find(family.distribution);
  const Numbers args = family.to_args(natural, known);
  return family.is_of_numbers() ? entropy(d, args) : moments(d, shaped(family, args)).entropy;
}

Numbers draw(const ExponentialFamily& family, Rng& rng, Params natural, Params known) {
  if (family.distribution.empty()) return {family.draw(rng, natural, known)};
  const Distribution& d = *find(family.distribution);
  const Numbers args = family.to_args(natural, known);
  if (family.is_of_numbers()) return {draw(d, rng, args)};
  Numbers x = d.draw_all(rng, shaped(family, args));
  if (d.num_categories == nullptr) return x;
  const auto category = static_cast<std::size_t>(x[0]);
  x.assign(args.size(), 0.0);
  x[category - 1] = 1.0;
  return x;
}

Numbers natural_of_mean(const ExponentialFamily& family, Params mean, Params known) {
  constexpr int kMostSteps = 100;
  // Squares of the gap, in units of the statistics' standard deviations, at which the iteration stops, and which are accepted after the last round.
  constexpr double kEnough = 1e-20, kTolerable = 1e-12;
  Numbers natural = family.near_mean(mean, known);
  double value = dual(family, natural, mean, known), decrement = kInfinity;
  for (int round = 0; round < kMostSteps && std::isfinite(value); ++round) {
    const Numbers gap = gap_to(family, mean, natural, known);
    const Numbers step = newton_step(family, natural, gap, known);
    decrement = std::abs(dot(gap, step));
    if (decrement < kEnough) return natural;
    double by = 1.0;
    while (by > 1e-10 && !(dual(family, moved(natural, by, step), mean, known) <=
                           value + 1e-14 * std::abs(value)))
      by *= 0.5;
    natural = moved(natural, by, step);
    value = dual(family, natural, mean, known);
  }
  if (std::isfinite(value) && decrement < kTolerable) return natural;
  no_such_mean(family, mean);
}

}  // namespace credo::dist
