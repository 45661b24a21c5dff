// Adaptive rejection as a kernel: one transition from anywhere is an exact draw of a full conditional that is
// log-concave; what isn't is refused, or corrected by a Metropolis step.
#include "infer/mcmc/rejection/adaptive_rejection.hpp"

#include <numbers>

#include "density/function_density.hpp"
#include "infer/curved_targets.hpp"
#include "infer/invariance.hpp"
#include "numerics/incomplete_gamma.hpp"

namespace credo::infer::adaptive_rejection_test {
namespace {
using namespace credo::testing;

// Kolmogorov's distance times sqrt(n); above 2.28 with probability 6e-5 where the cdf is right.
constexpr double kKolmogorovLimit = 2.28;

using Cdf = std::function<double(double)>;
double kolmogorov(std::vector<double> draws, const Cdf& cdf) {
  std::sort(draws.begin(), draws.end());
  const double n = static_cast<double>(draws.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = cdf(draws[i]), rank = static_cast<double>(i);
    distance = std::max({distance, p - rank / n, (rank + 1.0) / n - p});
  }
  return distance * std::sqrt(n);
}

// ---- distributions of one variable

struct Distribution {
  std::string name;
  std::shared_ptr<const density::LogDensity> density;
  Cdf cdf;
};

using LogSlopeFunction = std::function<std::pair<double, double>(double)>;
std::shared_ptr<const density::LogDensity> line_density(LogSlopeFunction h) {
  return density::make_density(1, [h](std::span<const double> x, std::span<double> gradient) {
    const auto [value, slope] = h(x[0]);
    gradient[0] = slope;
    return value;
  });
}

double phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

Distribution normal_distribution(double mean, double sd) {
  return {"normal", line_density([=](double x) {
            const double z = (x - mean) / sd;
            return std::pair(-0.5 * z * z, -z / sd);
          }),
          [=](double x) { return phi((x - mean) / sd); }};
}

// log g of g ~ Gamma(shape, 1): what a positive parameter is on its free scale.
Distribution log_gamma_distribution(double shape) {
  return {"log gamma", line_density([=](double x) {
            return std::pair(shape * x - std::exp(x), shape - std::exp(x));
          }),
          [=](double x) { return numerics::gamma_p(shape, std::exp(x)); }};
}

// -infinity outside: a support that nobody told.
Distribution truncated_normal_distribution(double lo, double hi) {
  return {"truncated normal", line_density([=](double x) {
            return std::pair(x < lo || x > hi ? -kInfinity : -0.5 * x * x, -x);
          }),
          [=](double x) { return std::clamp((phi(x) - phi(lo)) / (phi(hi) - phi(lo)), 0.0, 1.0); }};
}

Distribution laplace_distribution() {
  return {"Laplace",
          line_density([](double x) { return std::pair(-std::fabs(x), x > 0.0 ? -1.0 : 1.0); }),
          [](double x) { return x < 0.0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x); }};
}

// Student's t with 3 degrees of freedom.
Distribution student_distribution() {
  return {"Student", line_density([](double x) {
            return std::pair(-2.0 * std::log1p(x * x / 3.0), -4.0 * x / (3.0 + x * x));
          }),
          [](double x) {
            const double t = x / std::sqrt(3.0);
            return 0.5 + (t / (1.0 + t * t) + std::atan(t)) / std::numbers::pi;
          }};
}

// The slope of a logistic regression with a normal prior of sd 2; its cdf by Simpson's rule on 4000 cells of [-12, 12].
std::pair<double, double> logistic_slope(double b) {
  constexpr std::array<double, 6> kX = {-1.2, -0.4, 0.1, 0.6, 1.5, 2.2};
  constexpr std::array<int, 6> kY = {0, 1, 0, 1, 1, 1};
  double value = -0.125 * b * b, slope = -0.25 * b;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    const double eta = 0.3 + b * kX[i], p = 1.0 / (1.0 + std::exp(-eta));
    value += kY[i] == 1 ? std::log(p) : std::log1p(-p);
    slope += (kY[i] - p) * kX[i];
  }
  return {value, slope};
}
Distribution logistic_distribution() {
  constexpr int kCells = 4000;
  constexpr double kEnd = 12.0;
  auto sums = std::make_shared<std::vector<double>>(1, 0.0);
  const auto density = [](double b) { return std::exp(logistic_slope(b).first); };
  const double width = 2.0 * kEnd / kCells;
  for (int k = 0; k < kCells; ++k) {
    const double a = -kEnd + k * width;
    sums->push_back(sums->back() +
                    width / 6.0 *
                        (density(a) + 4.0 * density(a + 0.5 * width) + density(a + width)));
  }
  return {"logistic regression", line_density(logistic_slope), [=](double x) {
            const double at = std::clamp((x + kEnd) / width, 0.0, double(kCells) - 1e-6);
            const auto k = static_cast<std::size_t>(at);
            const double share = at - static_cast<double>(k);
            return ((*sums)[k] + share * ((*sums)[k + 1] - (*sums)[k])) / sums->back();
          }};
}

std::vector<Distribution> log_concave_distributions() {
  return {normal_distribution(1.0, 2.0),
          normal_distribution(0.0, 1e-3),
          log_gamma_distribution(0.3),
          log_gamma_distribution(40.0),
          truncated_normal_distribution(0.5, 2.0),
          laplace_distribution(),
          logistic_distribution()};
}

struct Ends {
  std::vector<double> draws;
  double evaluations = 0.0, rejections = 0.0;  // a transition
};

// One transition each from the same point.
Ends ends_from(const Distribution& distribution, double start,
               const AdaptiveRejectionOptions& options, std::size_t n = 8000) {
  const auto evaluator = distribution.density->make_evaluator();
  AdaptiveRejection kernel(options, 1);
  const PointState from = state_at(*evaluator, std::vector<double>{start});
  Ends ends;
  for (std::size_t i = 0; i < n; ++i) {
    PointState state = from;
    Rng rng({.seed = test_seed(41), .purpose = purpose::kTest, .iteration = std::uint32_t(i)});
    const AdaptiveRejectionInfo info = run_alone(kernel.step(state, rng), *evaluator);
    ends.draws.push_back(state.position[0]);
    ends.evaluations += double(info.num_evaluations) / double(n);
    ends.rejections += double(info.num_rejections) / double(n);
  }
  return ends;
}

// From wherever it starts and with any width: Markov chains of other kernels would take their time.
TEST(adaptive_rejection, draws_exactly_in_one_transition_from_any_start) {
  for (const Distribution& distribution : log_concave_distributions())
    for (const double start : {0.6, 1.9})
      for (const double width : {0.05, 2.0})
        EXPECT_LT(
            kolmogorov(ends_from(distribution, start, {.width = width}).draws, distribution.cdf),
            kKolmogorovLimit)
            << distribution.name << " from " << start << " with " << width;
}

TEST(adaptive_rejection, finds_its_way_from_far_out) {
  const Distribution distribution = normal_distribution(0.0, 1.0);
  for (const double start : {-1e6, 300.0})
    EXPECT_LT(
        kolmogorov(ends_from(distribution, start, {.width = 1.0}, 5000).draws, distribution.cdf),
        kKolmogorovLimit)
        << start;
}

// The density and its gradient where the chain stands are those of its point.
TEST(adaptive_rejection, knows_the_density_and_the_gradient_where_it_went) {
  const Target target = correlated_normal(0.8);
  const auto evaluator = target.density->make_evaluator();
  AdaptiveRejection kernel({}, 2);
  PointState state = state_at(*evaluator, std::vector<double>{0.4, -2.0});
  Rng rng({.seed = test_seed(42), .purpose = purpose::kTest});
  for (int k = 0; k < 20; ++k) {
    run_alone(kernel.step(state, rng), *evaluator);
    const PointState there = state_at(*evaluator, state.position);
    ASSERT_EQ(state.log_density, there.log_density);
    ASSERT_EQ(state.gradient, there.gradient);
  }
}

// Normal, correlated, the funnel, whose full conditionals are log-concave though it isn't, and both bounded ones on their
// free scales.
std::vector<Target> log_concave_targets() {
  const std::vector<Target> all = invariance_targets();
  return {all[0], all[1], all[2], all[4], all[5]};
}

TEST(adaptive_rejection, leaves_log_concave_targets_invariant) {
  for (const double width : {0.3, 3.0})
    expect_invariant(maker_of<AdaptiveRejection>({.width = width}), {.num_steps = 2},
                     log_concave_targets());
}

TEST(adaptive_rejection, finds_the_moments_of_long_runs) {
  const std::vector<Target> all =
      invariance_targets();  // chains of coordinates are slow in a funnel
  expect_long_run(maker_of<AdaptiveRejection>({.width = 1.5}), {.num_draws = 5000},
                  {all[0], all[1], all[4], all[5]});
}

// With the width that warm-up learns: a little more than two evaluations beside the one of the draw itself.
TEST(adaptive_rejection, takes_few_evaluations_after_its_warm_up) {
  constexpr std::size_t kDimension = 10;
  const Target target = standard_normal(kDimension);
  StoredDraws store;
  const SampleOptions options{.sampler = "adaptive_rejection",
                              .num_chains = 1,
                              .num_warmup = 500,
                              .num_draws = 2000,
                              .seed = test_seed(43)};
  run_chains(*target.density, options, store);
  double sum = 0.0;
  for (const double n : store.info.quantity(2)) sum += n;
  const double of_each = sum / (2000.0 * kDimension);
  RecordProperty("evaluations_of_a_coordinate", std::to_string(of_each));
  EXPECT_LT(of_each, 4.5);
  EXPECT_GT(of_each, 1.0);
}

TEST(adaptive_rejection, counts_its_evaluations) {
  StoredDraws store;
  const RunResult run = run_chains(
      *correlated_normal(0.5).density,
      {.sampler = "adaptive_rejection", .num_chains = 1, .num_warmup = 0, .num_draws = 100}, store);
  double sum = 1.0;  // the initial point
  for (const double n : store.info.quantity(2)) sum += n;
  EXPECT_EQ(sum, static_cast<double>(run.chains[0].num_evaluations));
}

// ---- distributions that are log-concave on their declared scale but not on the unconstrained one

struct BoundedDistribution {
  Distribution distribution;  // of the unconstrained value; its cdf takes the declared one
  double (*declared)(double);
  double scale;  // as the run reports it
};

// A normal of mean 1 and sd 1 above 0, and e^(20 p) on (0, 1).
std::vector<BoundedDistribution> bounded_distributions() {
  const auto above_zero = line_density([](double x) {
    const double w = std::exp(x);
    return std::pair(-0.5 * (w - 1.0) * (w - 1.0) + x, -(w - 1.0) * w + 1.0);
  });
  const auto inside = line_density([](double x) {
    const double p = 1.0 / (1.0 + std::exp(-x)), rest = 1.0 / (1.0 + std::exp(x));
    return std::pair(20.0 * p + std::log(p) + std::log(rest), 20.0 * p * rest + rest - p);
  });
  return {{{"normal above 0", above_zero,
            [](double w) { return (phi(w - 1.0) - phi(-1.0)) / (1.0 - phi(-1.0)); }},
           [](double x) { return std::exp(x); },
           1.0},
          {{"exponential on (0, 1)", inside,
            [](double p) { return std::expm1(20.0 * p) / std::expm1(20.0); }},
           [](double x) { return 1.0 / (1.0 + std::exp(-x)); },
           2.0}};
}

TEST(adaptive_rejection, draws_on_the_declared_scale_what_is_log_concave_there) {
  for (const BoundedDistribution& b : bounded_distributions()) {
    for (std::uint64_t seed = 46; seed < 51; ++seed) {
      StoredDraws store;
      const RunResult run = run_chains(*b.distribution.density,
                                       {.sampler = "adaptive_rejection",
                                        .num_chains = 2,
                                        .num_warmup = 500,
                                        .num_draws = 4000,
                                        .seed = test_seed(seed)},
                                       store);
      std::vector<double> draws;
      for (const double x : store.draws.quantity(0)) draws.push_back(b.declared(x));
      EXPECT_LT(kolmogorov(draws, b.distribution.cdf), kKolmogorovLimit)
          << b.distribution.name << ", " << seed;
      const auto& tuned = run.chains[0].tuned;
      const auto scales = std::find_if(tuned.begin(), tuned.end(),
                                       [](const TunedSetting& t) { return t.name == "scales"; });
      ASSERT_NE(scales, tuned.end());
      EXPECT_EQ(scales->values, std::vector<double>{b.scale}) << b.distribution.name;
    }
  }
}

TEST(adaptive_rejection, draws_exactly_in_one_transition_on_the_declared_scale) {
  for (const BoundedDistribution& b : bounded_distributions()) {
    const auto evaluator = b.distribution.density->make_evaluator();
    for (const double start : {-3.0, 0.4}) {
      std::vector<double> draws;
      for (std::uint32_t i = 0; i < 8000; ++i) {
        AdaptiveRejection kernel({.width = 0.5}, 1);
        kernel.settings.refuted = {b.scale == 1.0 ? 1 : 3};
        PointState state = state_at(*evaluator, std::vector<double>{start});
        Rng rng({.seed = test_seed(51), .purpose = purpose::kTest, .iteration = i});
        run_alone(kernel.step(state, rng), *evaluator);
        draws.push_back(b.declared(state.position[0]));
      }
      EXPECT_LT(kolmogorov(draws, b.distribution.cdf), kKolmogorovLimit)
          << b.distribution.name << " from " << start;
    }
  }
}

// ---- what isn't log-concave

std::string refusal_of(const density::LogDensity& density, const AdaptiveRejectionOptions& options,
                       Index num_draws = 500) {
  StoredDraws store;
  try {
    run_chains(density,
               {.sampler = "adaptive_rejection",
                .num_chains = 2,
                .num_warmup = 100,
                .num_draws = num_draws,
                .seed = test_seed(44),
                .kernel = options},
               store);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::evaluation);
    return error.what();
  }
  return "no error";
}

void expect_refusal(const std::string& said, const std::string& part) {
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST(adaptive_rejection, refuses_densities_that_are_not_log_concave) {
  for (const Target& target : {banana(), two_modes()})
    expect_refusal(refusal_of(*target.density, {}), "isn't concave");
}

// Student's t with 3 degrees of freedom: concave within sqrt(3) of its centre only.
TEST(adaptive_rejection, refuses_heavy_tails) {
  const auto student = line_density(
      [](double x) { return std::pair(-2.0 * std::log1p(x * x / 3.0), -4.0 * x / (3.0 + x * x)); });
  expect_refusal(refusal_of(*student, {}), "isn't concave");
}

// The probes reach modes that the tangents know nothing of, 30 standard deviations away.
TEST(adaptive_rejection, finds_a_mode_that_is_far_away_and_refuses) {
  const auto modes = line_density([](double x) {
    const double a = -0.5 * x * x, b = -0.5 * (x - 30.0) * (x - 30.0), top = std::max(a, b);
    const double share = 1.0 / (1.0 + std::exp(b - a));
    return std::pair(top + std::log(std::exp(a - top) + std::exp(b - top)),
                     -share * x - (1.0 - share) * (x - 30.0));
  });
  expect_refusal(refusal_of(*modes, {}, 5000), "isn't concave");
}

TEST(adaptive_rejection, refuses_a_support_with_a_hole_and_what_does_not_fall_off) {
  const auto hole = line_density(
      [](double x) { return std::pair(std::fabs(x) < 0.2 ? -kInfinity : -0.5 * x * x, -x); });
  expect_refusal(refusal_of(*hole, {}, 5000), "finite on both sides");
  // Another part of the support beyond where the density ends: the probes reach it.
  const auto islands = line_density([](double x) {
    return std::pair(std::fabs(x) < 2.0 || (x > 10.0 && x < 30.0) ? 0.0 : -kInfinity, 0.0);
  });
  expect_refusal(refusal_of(*islands, {}, 5000), "minus infinity on the way there");
  expect_refusal(refusal_of(*line_density([](double) { return std::pair(0.0, 0.0); }), {}),
                 "doesn't fall off");
}

// A distribution of a scale of 1e12 beside a width of 1: forty doublings on each side.
TEST(adaptive_rejection, takes_very_wide_distributions) {
  const auto wide = line_density([](double x) {
    const double z = x / 1e12;
    return std::pair(-0.5 * z * z, -z / 1e12);
  });
  EXPECT_EQ(refusal_of(*wide, {}, 200), "no error");
}

// Rounding is no hole in concavity: a log density of 1e9 with its digits, along a straight line.
TEST(adaptive_rejection, takes_rounding_for_what_it_is) {
  const auto large = line_density(
      [](double x) { return std::pair(1e9 - std::fabs(x - 0.1), x > 0.1 ? -1.0 : 1.0); });
  EXPECT_EQ(refusal_of(*large, {}, 2000), "no error");
}

TEST(adaptive_rejection, with_metropolis_leaves_every_target_invariant) {
  const auto centred = [](AdaptiveRejection& kernel) {
    std::fill(kernel.settings.centres.begin(), kernel.settings.centres.end(), 0.4);
  };
  for (const double width : {0.5, 3.0})
    expect_invariant(maker_of<AdaptiveRejection>({.width = width, .metropolis = true}, centred),
                     {.num_steps = 2});
}

// What the check is there for: without it, and without a correction, tangents cut off the heavy tails. How many draws are
// beyond 6, in standard errors: 4 by chance has the probability 6e-5.
TEST(adaptive_rejection, without_check_and_correction_is_rejected) {
  const Distribution distribution = student_distribution();
  const auto z = [&](const AdaptiveRejectionOptions& options) {
    const std::vector<double> draws = ends_from(distribution, 0.3, options, 40'000).draws;
    const double n = double(draws.size()), p = 2.0 * distribution.cdf(-6.0);
    const auto beyond = double(
        std::count_if(draws.begin(), draws.end(), [](double x) { return std::fabs(x) > 6.0; }));
    return std::fabs(beyond - n * p) / std::sqrt(n * p * (1.0 - p));
  };
  EXPECT_GT(z({.width = 1.0, .tolerance = 1e300}), 4.0);
}

// ---- mutants of the algorithm, on one normal variable

enum class Planted { nothing, hull_too_low, hull_of_before, squeeze_too_high };

double planted_distance(Planted fault) {
  const auto at = [](double x) { return TangentPoint{x, -0.5 * x * x, -x}; };
  std::vector<double> draws;
  Rng rng({.seed = test_seed(45), .purpose = purpose::kTest});
  for (int k = 0; k < 10'000; ++k) {
    TangentHull hull(32);
    hull.clear(-kInfinity, kInfinity);
    hull.add(at(-1.5)), hull.add(at(1.0));
    for (;;) {
      const TangentHull::Drawn drawn = hull.draw(rng.uniform(), rng.uniform());
      double height = drawn.bound + std::log(rng.uniform());
      if (fault == Planted::hull_too_low) height -= 0.6;
      const TangentPoint there = at(drawn.x);
      const double squeeze = fault == Planted::squeeze_too_high ? 1.0 : 0.0;
      if (height <= hull.chord(drawn.x) + squeeze) {
        draws.push_back(drawn.x);
        break;
      }
      hull.add(there);
      // the bound of the new hull for a try under the old one
      if (fault == Planted::hull_of_before) height += hull.bound(drawn.x) - drawn.bound;
      if (height <= there.value) {
        draws.push_back(drawn.x);
        break;
      }
    }
  }
  return kolmogorov(draws, phi);
}

TEST(adaptive_rejection, is_told_from_a_hull_that_is_shifted_or_not_renewed_and_a_wrong_squeeze) {
  EXPECT_LT(planted_distance(Planted::nothing), kKolmogorovLimit);
  EXPECT_GT(planted_distance(Planted::hull_too_low), kKolmogorovLimit);
  EXPECT_GT(planted_distance(Planted::hull_of_before), kKolmogorovLimit);
  EXPECT_GT(planted_distance(Planted::squeeze_too_high), kKolmogorovLimit);
}

}  // namespace
}  // namespace credo::infer::adaptive_rejection_test
