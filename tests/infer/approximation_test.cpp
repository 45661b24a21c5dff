// Weighted draws of approximations against posteriors that are known.
#include "infer/variational/approximation.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "infer/core/table.hpp"
#include "infer/evidence_targets.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/optimise/starts.hpp"
#include "infer/standard_scores.hpp"
#include "infer/variational/families/normal_family.hpp"

namespace credo::infer::approximation_test {
namespace {
using namespace credo::testing;

SampleOptions options_of(std::string_view method, std::uint64_t seed, Index num_draws = 4000) {
  return {.sampler = std::string(method),
          .num_chains = 1,
          .num_warmup = 0,
          .num_draws = num_draws,
          .seed = test_seed(seed),
          .num_threads = 1,
          .kernel = find_sampler(method).options()};
}

struct Weighed {
  LogEvidence evidence;        // log of the mean weight
  std::vector<double> means;   // weighted, of the unconstrained values
  std::vector<double> shares;  // of the weights
};

// Mean weight, with the error of independent draws.
Weighed weighed(const StoredDraws& store) {
  const auto log_weights = store.info.quantity(2);
  const double n = static_cast<double>(log_weights.size());
  const double top = *std::max_element(log_weights.begin(), log_weights.end());
  double sum = 0.0, squares = 0.0;
  Weighed found;
  for (const double w : log_weights) {
    found.shares.push_back(std::exp(w - top));
    sum += found.shares.back(), squares += found.shares.back() * found.shares.back();
  }
  const double mean = sum / n;
  found.evidence.value = top + std::log(mean);
  found.evidence.error = std::sqrt(std::max(0.0, squares / n - mean * mean) / n) / mean;
  for (double& share : found.shares) share /= sum;
  for (Index d = 0; d < store.draws.num_quantities(); ++d) {
    double m = 0.0;
    for (std::size_t i = 0; i < log_weights.size(); ++i)
      m += found.shares[i] * store.draws.quantity(d)[i];
    found.means.push_back(m);
  }
  return found;
}

Weighed weighed_draws(const density::LogDensity& density, const SampleOptions& options) {
  StoredDraws store;
  run_chains(density, options, store);
  return weighed(store);
}

// Approximations whose log density is known.
std::vector<std::string_view> with_weights() {
  std::vector<std::string_view> names;
  for (const std::string_view method : approximations())
    if (method != "implicit") names.push_back(method);
  return names;
}

double tuned_of(const RunResult& run, std::string_view name) {
  for (const TunedSetting& setting : run.chains[0].tuned)
    if (setting.name == name) return setting.values.at(0);
  return kNaN;
}

// log Z is the log of the mean weight of any normalised distribution to draw from: so a Jacobian, a normalising constant or a share
// that is left out is seen. A normal posterior is the distribution itself, and the weights are one number.
TEST(approximations, of_normal_posteriors_have_weights_whose_mean_is_the_evidence) {
  EXPECT_GE(approximations().size(), 13u);
  for (auto make : {conjugate_posterior, sheet})
    for (const std::string_view method : with_weights()) {
      if (find_sampler(method).needs_rows) continue;     // tests/infer/parameter_filter_test.cpp
      if (find_sampler(method).needs_program) continue;  // tests/api/messages_test.cpp
      const KnownPosterior model = make();
      if (method == "factors" && model.name == "sheet") continue;  // its values are correlated
      const Weighed found = weighed_draws(*model.density, options_of(method, 1));
      const double tolerance = 1e-4 + 4.5 * found.evidence.error;
      EXPECT_NEAR(found.evidence.value, model.log_evidence, tolerance)
          << method << " of " << model.name;
      EXPECT_LT(found.evidence.error, 0.2) << method << " of " << model.name;
      if (method == "laplace" || method == "normal") {
        EXPECT_LT(found.evidence.error, 1e-4) << method << " of " << model.name;
      }
    }
}

// Values that are independent are within every family.
TEST(approximations, of_every_family_are_exact_for_independent_normal_values) {
  const KnownPosterior model = conjugate_posterior();
  for (const FamilySpec& family : families()) {
    SampleOptions options = options_of("normal", 7);
    set_option(options, "covariance", family.name);
    const Weighed found = weighed_draws(*model.density, options);
    EXPECT_NEAR(found.evidence.value, model.log_evidence, 1e-3 + 4.5 * found.evidence.error)
        << family.name;
    EXPECT_LT(found.evidence.error, 1e-3) << family.name;
  }
}

// A lognormal value on the logarithm's scale. Planted: a density without its Jacobian, whose evidence is -μ + σ²/2.
TEST(approximations, without_the_jacobian_are_rejected) {
  constexpr double kMean = 0.7, kSd = 0.4;
  const auto of = [](double jacobian) {
    return density::make_density(1, [jacobian](Values x, std::span<double> gradient) {
      if (!gradient.empty()) gradient[0] = -(x[0] - kMean) / (kSd * kSd) - 1.0 + jacobian;
      return normal_log_density(x[0], kMean, kSd) - x[0] + jacobian * x[0];
    });
  };
  for (const std::string_view method : with_weights()) {
    if (find_sampler(method).needs_rows) continue;
    if (find_sampler(method).needs_program) continue;
    const auto is_right = [&](double jacobian) {
      const Weighed found = weighed_draws(*of(jacobian), options_of(method, 2));
      return std::abs(found.evidence.value) < 1e-3 + 4.5 * found.evidence.error &&
             std::abs(found.means[0] - kMean) < 4.5 * kSd / std::sqrt(4000.0);
    };
    EXPECT_TRUE(is_right(1.0)) << method;
    EXPECT_FALSE(is_right(0.0)) << method;
  }
}

// E_p[log p - log q] over draws of NUTS is log Z + KL(p ‖ q), and KL is known: 0 for a full covariance, the figure `divergence` for a diagonal one.
// log p has a standard deviation of √5 over the 1000 draws, so that its mean has an error of 0.1.
TEST(moments_draws, report_the_upper_bound_of_the_evidence) {
  for (const char* covariance : {"full", "diagonal"}) {
    const KnownPosterior model = sheet();
    SampleOptions options = options_of("moments", 9, 100);
    set_option(options, "covariance", covariance);
    StoredDraws store;
    const RunResult run = run_chains(*model.density, options, store);
    EXPECT_NEAR(tuned_of(run, "eubo"), model.log_evidence + tuned_of(run, "divergence"), 0.45)
        << covariance;
  }
}

struct Shape {
  double mean = 0.0, sd = 0.0, skewness = 0.0;
};
Shape shape_of(std::span<const double> values) {
  Shape shape;
  const double n = static_cast<double>(values.size());
  for (const double v : values) shape.mean += v / n;
  double squares = 0.0, cubes = 0.0;
  for (const double v : values) {
    squares += std::pow(v - shape.mean, 2) / n;
    cubes += std::pow(v - shape.mean, 3) / n;
  }
  shape.sd = std::sqrt(squares);
  shape.skewness = cubes / std::pow(shape.sd, 3);
  return shape;
}

// The logarithm of a gamma(2, 1) value has skewness -0.78, mean ψ(2) and variance ψ'(2). The classifier learns from 1000 draws, so that shapes are
// off by a tenth, and the skewness by a third. The best normal distribution has none.
TEST(implicit_draws, have_a_shape_that_no_normal_distribution_has) {
  const auto gamma = density::make_density(1, [](Values x, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] = 2.0 - std::exp(x[0]);
    return 2.0 * x[0] - std::exp(x[0]);
  });
  const auto shape_by = [&](const char* method) {
    SampleOptions options = options_of(method, 8, 20'000);
    if (method == std::string_view("implicit")) set_option(options, "rounds", "100");
    StoredDraws store;
    run_chains(*gamma, options, store);
    const auto draws = store.draws.quantity(0), log_weights = store.info.quantity(2);
    const auto is_zero = [](double log_weight) { return log_weight == 0.0; };
    EXPECT_EQ(std::ranges::all_of(log_weights, is_zero), method == std::string_view("implicit"));
    return shape_of(std::vector<double>(draws.begin(), draws.end()));
  };
  const Shape found = shape_by("implicit");
  constexpr double kMean = 0.42278, kSd = 0.80308;
  EXPECT_NEAR(found.mean, kMean, 0.1 * kSd);
  EXPECT_NEAR(found.sd / kSd, 1.0, 0.1);
  EXPECT_LT(found.skewness, -0.3);
  EXPECT_GT(shape_by("normal").skewness, -0.1);
}

// Student's t is another distribution than the posterior: the weights correct it, and would not without its constant.
TEST(laplace_draws, of_t_distributions_are_corrected_by_weights) {
  const KnownPosterior model = conjugate_posterior();
  SampleOptions options = options_of("laplace", 3, 20'000);
  set_option(options, "dof", "5");
  const Weighed found = weighed_draws(*model.density, options);
  EXPECT_NEAR(found.evidence.value, model.log_evidence, 4.5 * found.evidence.error);
  EXPECT_GT(found.evidence.error, 1e-4);
  EXPECT_LT(found.evidence.error, 0.05);
}

TEST(laplace_draws, are_at_the_heaviest_mode_and_tell_of_the_other) {
  const KnownPosterior model = bimodal();
  SampleOptions options = options_of("laplace", 4, 500);
  set_option(options, "num_starts", "20");
  set_option(options, "init_radius", "6");
  StoredDraws store;
  const RunResult run = run_chains(*model.density, options, store);
  EXPECT_NEAR(weighed(store).evidence.value, model.log_evidence + std::log1p(-kShare), 1e-3);
  EXPECT_GE(tuned_of(run, "num_modes"), 2.0);
  ASSERT_FALSE(run.warnings.empty());
  EXPECT_NE(run.warnings[0].find("use credo sample"), std::string::npos);
}

// A ridge: no curvature along x[1].
TEST(laplace_draws, are_refused_with_the_direction_that_is_no_peak) {
  const auto ridge = density::make_density(2, [](Values x, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] = -x[0], gradient[1] = 0.0;
    return -0.5 * x[0] * x[0];
  });
  StoredDraws store;
  EXPECT_THROW(run_chains(*ridge, options_of("laplace", 5), store), Error);
  const auto without =
      density::make_value_density(1, [](std::span<const double> x) { return -x[0] * x[0]; });
  for (const std::string_view method : approximations())
    EXPECT_THROW(run_chains(*without, options_of(method, 5), store), Error) << method;
}

// A normal posterior within walls: beyond 1.03 gradients are above 1e12, beyond 1.5 their squares overflow, and half and a quarter of the starts
// on (-2, 2) lie there. With one path each run stands or falls by its own start. The walls change the evidence by less than 1e-12.
TEST(pathfinder, climbs_from_where_squares_of_gradients_overflow) {
  constexpr double kMean = 0.3, kSd = 0.1, kPower = 876.0;
  const auto density = density::make_density(1, [](Values x, std::span<double> gradient) {
    const double wall = std::pow(std::fabs(x[0]), kPower);
    if (!gradient.empty()) gradient[0] = -(x[0] - kMean) / (kSd * kSd) - 0.5 * kPower * wall / x[0];
    return normal_log_density(x[0], kMean, kSd) - 0.5 * wall;
  });
  int num_beyond = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SampleOptions options = options_of("pathfinder", 100 + seed, 1000);
    set_option(options, "num_paths", "1");
    const double start = independent_starts(*density, 1, options.seed)[0][0];
    num_beyond += std::fabs(start) > 1.5 ? 1 : 0;
    const Weighed found = weighed_draws(*density, options);
    EXPECT_NEAR(found.evidence.value, 0.0, 1e-6 + 4.5 * found.evidence.error) << start;
    EXPECT_NEAR(found.means[0], kMean, 4.5 * kSd / std::sqrt(1000.0)) << start;
  }
  EXPECT_GE(num_beyond, 1);  // 0.75^20 is 0.003
}

// Weights against the mixture: both modes have their shares, which draws weighed by their own path alone would not sum to.
TEST(pathfinder, weighs_the_paths_of_two_modes_by_their_mixture) {
  const KnownPosterior model = bimodal();
  SampleOptions options = options_of("pathfinder", 6, 4000);
  set_option(options, "num_paths", "24");
  StoredDraws store;
  run_chains(*model.density, options, store);
  const Weighed found = weighed(store);
  EXPECT_NEAR(found.evidence.value, model.log_evidence, 0.01 + 4.5 * found.evidence.error);
  double high = 0.0;
  for (std::size_t i = 0; i < found.shares.size(); ++i)
    if (store.draws.quantity(0)[i] > 0.0) high += found.shares[i];
  EXPECT_NEAR(high, 1.0 - kShare, 0.05);
}

}  // namespace
}  // namespace credo::infer::approximation_test
