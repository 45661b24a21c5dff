// What must hold of every univariate distribution of the table, at the parameters of examples.hpp.
#include "dist/distribution.hpp"
#include "dist/examples.hpp"
#include "support/reference.hpp"

namespace credo::dist {
namespace {
using testing::Numbers;

// A distribution at known parameters.
class At {
 public:
  explicit At(const Example& e)
      : d(*find(e.name)), params(e.params), args_(e.params.begin(), e.params.end()) {}
  double log_density_at(double y) const {
    testing::ThrowingChecks checks;
    return log_density(d, y, args_, {.function = d.name}, checks).value.value();
  }
  double tail_at(Tail which, double y) const {
    testing::ThrowingChecks checks;
    return tail(d, which, y, args_, d.name, checks).value();
  }
  double cdf_at(double y) const { return d.cdf != nullptr ? tail_at(Tail::cdf, y) : summed(y); }
  bool has_tails() const { return d.cdf != nullptr; }
  double lower() const { return d.support == nullptr ? d.lower : d.support(args_).lower.value(); }
  double upper() const { return d.support == nullptr ? d.upper : d.support(args_).upper.value(); }
  const Distribution& d;
  const Numbers params;

 private:
  double summed(double y) const {  // of a discrete distribution without a cdf
    double total = 0.0;
    for (double k = lower(); k <= std::min(y, upper()); k += 1.0)
      total += std::exp(log_density_at(k));
    return total;
  }
  std::vector<Expr> args_;
};

class Examples : public ::testing::TestWithParam<Example> {};

// Gauss-Legendre of order 8 on each of 200 pieces.
double integral(const At& at, double lo, double hi) {
  constexpr int kPieces = 200;
  constexpr std::array<double, 4> x{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                    0.9602898564975363};
  constexpr std::array<double, 4> w{0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                    0.1012285362903763};
  double total = 0.0;
  for (int i = 0; i < kPieces; ++i) {
    const double half = 0.5 * (hi - lo) / kPieces, centre = lo + (2 * i + 1) * half;
    for (std::size_t k = 0; k < 4; ++k) {
      total += half * w[k] *
               (std::exp(at.log_density_at(centre - half * x[k])) +
                std::exp(at.log_density_at(centre + half * x[k])));
    }
  }
  return total;
}

// Between the 55 % and 90 % points the densities are smooth: the rule's error is far below 1e-9.
TEST_P(Examples, density_integrates_to_differences_of_the_cdf) {
  const At at(GetParam());
  if (at.d.discrete) {
    const double far =
        std::max(60.0, at.d.mean(at.params) + 60.0 * std::sqrt(at.d.variance(at.params)));
    const double last = std::min(std::ceil(far), at.upper());
    double total = 0.0;
    for (double k = at.lower(); k <= last; k += 1.0) total += std::exp(at.log_density_at(k));
    if (at.has_tails() && last < at.upper()) total += std::exp(at.tail_at(Tail::log_ccdf, last));
    EXPECT_NEAR(total, 1.0, 1e-11);
    return;
  }
  const double lo = quantile(at.d, 0.55, at.params), hi = quantile(at.d, 0.9, at.params);
  EXPECT_NEAR(integral(at, lo, hi), at.cdf_at(hi) - at.cdf_at(lo), 1e-9);
  EXPECT_NEAR(at.cdf_at(hi) - at.cdf_at(lo), 0.35, 1e-9);
}

TEST_P(Examples, derivative_of_each_tail_is_the_density) {
  const At at(GetParam());
  if (at.d.discrete) {
    if (!at.has_tails()) return;
    for (double k = at.lower() + 1.0; k < 6.0 && k <= at.upper(); k += 1.0) {
      const double mass = std::exp(at.log_density_at(k));
      EXPECT_NEAR(at.cdf_at(k) - at.cdf_at(k - 1.0), mass, 1e-11 + 1e-10 * mass);
    }
    return;
  }
  for (const double p : {1e-6, 0.03, 0.3, 0.8, 0.9999}) {
    const double y = quantile(at.d, p, at.params);
    testing::ReferenceRecord record;
    record.args.push_back({"real", {}, {y}, true});
    const double density = std::exp(at.log_density_at(y));
    std::vector<Expr> params(at.params.begin(), at.params.end());
    const auto slope = [&](Tail which) {
      return testing::evaluate(record,
                               [&](std::span<const Expr> args, Checks& checks) {
                                 return tail(at.d, which, args[0], params, at.d.name, checks);
                               })
          .gradient[0][0];
    };
    EXPECT_NEAR(slope(Tail::cdf) / density, 1.0, 1e-9) << y;
    EXPECT_NEAR(slope(Tail::log_cdf) * at.cdf_at(y) / density, 1.0, 1e-9) << y;
    EXPECT_NEAR(-slope(Tail::log_ccdf) * std::exp(at.tail_at(Tail::log_ccdf, y)) / density, 1.0,
                1e-9)
        << y;
  }
}

TEST_P(Examples, quantile_inverts_the_cdf) {
  const At at(GetParam());
  if (!at.has_tails()) return;
  for (const double p : {1e-9, 1e-3, 0.2, 0.5, 0.77, 0.999}) {
    const double y = quantile(at.d, p, at.params);
    if (at.d.discrete) {
      EXPECT_GE(at.cdf_at(y) * (1 + 1e-12), p);
      if (y > at.lower()) {
        EXPECT_LT(at.cdf_at(y - 1.0), p);
      }
    } else {
      // one rounding of y moves p by at most |y| f(y) eps; inv_gamma_p states 1e-13
      const double density = std::exp(at.log_density_at(y));
      EXPECT_NEAR(at.cdf_at(y), p, 1e-11 * p + 4e-16 * std::abs(y) * density) << y;
    }
  }
}

TEST_P(Examples, tails_stay_finite_where_the_cdf_is_0_or_1) {
  const At at(GetParam());
  if (!at.has_tails() || at.d.discrete || at.d.name == "uniform" || at.d.name == "von_mises")
    return;
  const double lo = quantile(at.d, 1e-12, at.params);
  const double hi = at.d.upper == 1.0 ? 1.0 - 1e-9 : 30.0 * quantile(at.d, 0.9, at.params);
  for (const double y : {lo, 0.5 * lo + 0.5 * quantile(at.d, 0.5, at.params), std::abs(hi)}) {
    EXPECT_TRUE(std::isfinite(at.tail_at(Tail::log_cdf, y))) << y;
    EXPECT_TRUE(std::isfinite(at.tail_at(Tail::log_ccdf, y))) << y;
    EXPECT_TRUE(std::isfinite(at.log_density_at(y))) << y;
  }
}

Numbers draws_of(const Distribution& d, const Numbers& params, int count) {
  Rng rng({.seed = 20260101, .purpose = purpose::kTest + 7});
  Numbers out;
  for (int i = 0; i < count; ++i) out.push_back(draw(d, rng, params));
  std::sort(out.begin(), out.end());
  return out;
}

// Kolmogorov-Smirnov distance times sqrt(n); with jumps it is only smaller. P(> 2.3) = 2 exp(-2
// * 2.3^2) = 5e-5.
double ks_statistic(const At& at, const Numbers& sorted) {
  double largest = 0.0;
  const auto n = static_cast<double>(sorted.size());
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    const double f = at.cdf_at(sorted[i]);
    const double before =
        at.d.discrete ? (sorted[i] > at.lower() ? at.cdf_at(sorted[i] - 1.0) : 0.0) : f;
    largest = std::max({largest, std::abs(f - static_cast<double>(end) / n),
                        std::abs(before - static_cast<double>(i) / n)});
    i = end;
  }
  return largest * std::sqrt(n);
}
constexpr double kRejectAbove = 2.3;
constexpr int kDraws = 10000;

TEST_P(Examples, draws_follow_the_cdf) {
  const At at(GetParam());
  EXPECT_LT(ks_statistic(at, draws_of(at.d, at.params, kDraws)), kRejectAbove);
}

// The planted mutant: one parameter is off by 15 % and a little, which moves each cdf by more than
// 0.03 somewhere.
TEST_P(Examples, draws_of_other_parameters_are_rejected) {
  const At at(GetParam());
  if (at.params.empty()) return;
  Numbers other = at.params;
  const bool huge = other.back() > 1e6 || other[0] > 1e6;  // the limit: the parameter has no effect
  if (huge || at.d.name == "bernoulli") return;
  double& changed =
      at.d.name.starts_with("neg_binomial") || at.d.name == "skew_normal" ? other[0] : other.back();
  changed = at.d.name == "binomial" ? 0.9 * changed : 1.15 * changed + 0.3;
  EXPECT_GT(ks_statistic(at, draws_of(at.d, other, kDraws)), kRejectAbove);
}

TEST_P(Examples, mean_and_variance_are_those_of_the_draws) {
  const At at(GetParam());
  if (at.d.mean == nullptr || at.d.variance == nullptr) return;
  const double mean = at.d.mean(at.params), variance = at.d.variance(at.params);
  // the mean's standard error is known; the variance of heavy tails is not estimated well enough to
  // compare
  if (!std::isfinite(mean) || !std::isfinite(variance)) return;
  const Numbers draws = draws_of(at.d, at.params, kDraws);
  const double average = std::accumulate(draws.begin(), draws.end(), 0.0) / kDraws;
  EXPECT_NEAR(average, mean, 4.0 * std::sqrt(variance / kDraws));
  double fourth = 0.0, second = 0.0;
  for (const double y : draws) {
    const double square = (y - mean) * (y - mean);
    second += square / kDraws;
    fourth += square * square / kDraws;
  }
  EXPECT_NEAR(second, variance,
              5.0 * std::sqrt((fourth - second * second) / kDraws) + 1e-12 * variance);
}

// H e_j by the adjoint of the adjoint against central differences of the gradient; step 1e-5 of the
// parameter leaves an error of about 1e-10 third derivatives plus 1e-16/1e-5 gradient.
TEST_P(Examples, hessian_is_symmetric_and_the_slope_of_the_gradient) {
  const At at(GetParam());
  const Index n = ssize(at.params);
  if (n == 0 || at.d.name.starts_with("binomial") || at.d.name == "uniform")
    return;  // whole or irregular parameters
  const double y = quantile(at.d, 0.7, at.params);
  graph::Graph graph;
  testing::ThrowingChecks checks;
  const graph::NodeId input = graph.add_input(graph::vector_shape(n));
  const Expr all(graph, {input, -1});
  std::vector<Expr> params, outputs;
  for (Index i = 0; i < n; ++i) params.push_back(all.element(i));
  const Expr value =
      log_density(at.d, std::isnan(y) ? 1.0 : y, params, {.function = at.d.name}, checks).value;
  const std::array inputs{input};
  outputs.push_back(graph::gradient(graph, value, inputs)[0]);
  for (Index j = 0; j < n; ++j) {
    Numbers direction(at.params.size(), 0.0);
    direction[static_cast<std::size_t>(j)] = 1.0;
    outputs.push_back(graph::hessian_vector(graph, value, input,
                                            graph::constant(graph::vector_shape(n), direction)));
  }
  const graph::Program program(graph, input, outputs);
  const auto run = [&](const Numbers& point) {
    graph::Workspace workspace(program, 1);
    workspace.set_lanes(1);
    workspace.set_input(0, point);
    workspace.run();
    Numbers out;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      for (Index i = 0; i < n; ++i) out.push_back(workspace.output(k, i, 0));
    }
    return out;
  };
  const Numbers centre = run(at.params);
  const auto hessian = [&](Index i, Index j) {
    return centre[static_cast<std::size_t>(n + j * n + i)];
  };
  for (Index j = 0; j < n; ++j) {
    Numbers up = at.params, down = at.params;
    const auto index = static_cast<std::size_t>(j);
    const double step = 1e-5 * std::max(1.0, std::abs(at.params[index]));
    up[index] += step;
    down[index] -= step;
    const Numbers high = run(up), low = run(down);
    for (Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double scale = std::abs(hessian(i, i)) + std::abs(hessian(j, j)) + 1e-9;
      EXPECT_NEAR(hessian(i, j), hessian(j, i), 1e-10 * scale) << i << j;
      EXPECT_NEAR(hessian(i, j), (high[k] - low[k]) / (2.0 * step),
                  1e-6 * scale + 1e-10 * std::abs(centre[k]) / step)
          << i << j;
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Example>& info) {
  return std::string(info.param.name) + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::ValuesIn(examples()), name_of);

TEST(Table, every_univariate_distribution_has_an_example) {
  for (const Distribution* d : table()) {
    if (d->kind != Kind::univariate) continue;
    const auto& all = examples();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Example& e) {
      return e.name == d->name;
    })) << d->name;
  }
}

TEST(Table, is_in_alphabetical_order) {
  const auto rows = table();
  EXPECT_TRUE(
      std::is_sorted(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->name < b->name; }));
}

}  // namespace
}  // namespace credo::dist
