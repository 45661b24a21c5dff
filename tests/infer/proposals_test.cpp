#include "infer/mcmc/walk/proposals.hpp"

#include "infer/compose/compose.hpp"
#include "infer/invariance.hpp"
#include "infer/mcmc/walk/rwm.hpp"

namespace credo::infer::proposals_test {
namespace {
using namespace credo::testing;

KernelMaker driven_by(double mean, double sd) {
  const auto predicted = predicted_block(
      {0}, {{.mean = {mean}, .sd = {sd}}, {.weight = 0.5, .mean = {1.0}, .sd = {2.0}}});
  return mixture({{0.5, kernel("rwm", RwmOptions{.scale = 1.0, .metric = MetricKind::unit})},
                  {0.5, metropolis(predicted)}});
}

TEST(data_driven_proposals, leave_the_targets_invariant_whatever_is_predicted) {
  expect_invariant(maker_of_parts(driven_by(0.5, 1.5)));
  expect_invariant(maker_of_parts(driven_by(-3.0, 0.4)));
}

// A predictor whose density is left out of the ratio.
TEST(invariance_suite, rejects_a_predictor_without_its_ratio) {
  class Uncorrected final : public Proposal {
   public:
    void draw(std::span<const double> from, std::span<double> to, Rng& rng) const override {
      std::copy(from.begin(), from.end(), to.begin());
      to[0] = 0.5 + 1.5 * rng.normal();
    }
    double log_ratio(std::span<const double>, std::span<const double>) const override {
      return 0.0;
    }
  };
  EXPECT_TRUE(is_rejected(maker_of_parts(metropolis(std::make_shared<Uncorrected>()))));
}

// Two far modes that a predictor names: the walk alone stays in one, together they find both
// weights, within four errors of some 1,000 independent jumps.
TEST(data_driven_proposals, jump_between_modes_that_the_predictor_names) {
  const auto density = density_of(1, [](Point x, Slope) {
    const double low = -0.5 * (x[0] + 20.0) * (x[0] + 20.0),
                 high = -0.5 * (x[0] - 20.0) * (x[0] - 20.0);
    const double top = std::max(low, high);
    return top + std::log(0.25 * std::exp(low - top) + 0.75 * std::exp(high - top));
  });
  const auto predicted =
      predicted_block({0}, {{.mean = {-20.0}, .sd = {1.5}}, {.mean = {20.0}, .sd = {1.5}}});
  StoredDraws store;
  run_kernel(*density, {.num_warmup = 100, .num_draws = 5000, .seed = test_seed(3)},
             mixture({{0.6, kernel("rwm")}, {0.4, metropolis(predicted)}}), store);
  double low = 0.0;
  for (const double x : store.draws.quantity(0)) low += x < 0.0;
  EXPECT_NEAR(low / 20'000.0, 0.25, 4.0 * std::sqrt(0.25 * 0.75 / 1000.0));
}

// ---- latent input ----

// x is a stationary autoregression of 8 values, observed with noise; θ is the mean of the noise:
// q = (θ, x), y_t ~ N(θ + x_t, 0.5²), θ ~ N(0, 1). All is normal: exact moments from the joint
// precision.
constexpr std::size_t kLength = 8;
constexpr double kPhi = 0.7, kNoise = 0.5;
constexpr std::array<double, kLength> kSeen = {0.9, 1.4, 0.2, -0.1, 0.8, 1.9, 2.2, 1.0};

double log_prior_of_path(std::span<const double> q) {
  double sum = -0.5 * q[1] * q[1] * (1.0 - kPhi * kPhi);
  for (std::size_t t = 1; t < kLength; ++t) {
    const double off = q[t + 1] - kPhi * q[t];
    sum -= 0.5 * off * off;
  }
  return sum;
}

std::shared_ptr<const LogDensity> latent_density() {
  return density_of(1 + Index{kLength}, [](Point q, Slope) {
    double sum = -0.5 * q[0] * q[0] + log_prior_of_path(q);
    for (std::size_t t = 0; t < kLength; ++t) {
      const double off = (kSeen[t] - q[0] - q[t + 1]) / kNoise;
      sum -= 0.5 * off * off;
    }
    return sum;
  });
}

// The value between two neighbours, one by one from the left: conditional on what is left of it and
// on the first one right of the stretch. `phi` is kPhi but in a mutant.
void regenerate_by(double phi, std::span<double> q, Index begin, Index end, Rng& rng) {
  for (Index i = begin; i < end; ++i) {
    const Index last = Index{kLength};  // place of the last value
    const Index steps = end - i;        // to the value behind the stretch
    const bool has_left = i > 1, has_right = end <= last;
    // x_i given x_{i-1} is N(φ x_{i-1}, 1), stationary without; x_end given x_i N(φ^s x_i, v_s)
    double precision = has_left ? 1.0 : 1.0 - phi * phi;
    double weighted = has_left ? phi * q[std::size_t(i - 1)] : 0.0;
    if (has_right) {
      const double power = std::pow(phi, double(steps));
      const double variance = (1.0 - power * power) / (1.0 - phi * phi);
      precision += power * power / variance;
      weighted += power * q[std::size_t(end)] / variance;
    }
    q[std::size_t(i)] = weighted / precision + rng.normal() / std::sqrt(precision);
  }
}

// Mean of the normal by steepest ascent with exact line search on a quadratic: conjugate gradients
// would do it in nine steps; plain Gauss-Seidel sweeps here, to rounding.
std::vector<double> exact_mean() {
  const auto density = latent_density();
  const auto evaluator = density->make_evaluator();
  std::vector<double> q(1 + kLength, 0.0);
  const auto at = [&](std::size_t d, double x) {
    std::vector<double> place = q;
    place[d] = x;
    Evaluate question = evaluate(place);
    answer(*evaluator, question);
    return question.request.log_density;
  };
  for (int sweep = 0; sweep < 500; ++sweep)
    for (std::size_t d = 0; d < q.size(); ++d) {
      const double here = at(d, 0.0), up = at(d, 1.0), down = at(d, -1.0);
      q[d] = 0.5 * (up - down) / (2.0 * here - up - down);  // the parabola's vertex
    }
  return q;
}

double worst_latent_z(double phi, Index num_draws, std::uint64_t seed) {
  const auto regenerate = [phi](std::span<double> q, Index begin, Index end, Rng& rng) {
    regenerate_by(phi, q, begin, end, rng);
  };
  const auto window = metropolis(regenerated_window({.first = 1,
                                                     .count = Index{kLength},
                                                     .window = 3,
                                                     .regenerate = regenerate,
                                                     .log_prior = log_prior_of_path}));
  StoredDraws store;
  run_kernel(*latent_density(), {.num_warmup = 2000, .num_draws = num_draws, .seed = seed},
             cycle({on_coordinates({0}, kernel("rwm")), window, window}), store);
  const std::vector<double> mean = exact_mean();
  double worst = 0.0;
  for (std::size_t d = 0; d < mean.size(); ++d) {
    const auto all = store.draws.quantity(static_cast<Index>(d));
    const diagnose::Chains x(all, num_draws, 4);
    worst = worse(worst, std::fabs(diagnose::mean(all) - mean[d]) / diagnose::mcse_mean(x));
  }
  return worst;
}
double repeated_latent_z(double phi) {
  const double z = worst_latent_z(phi, 20'000, test_seed(6));
  return z <= kInvarianceLimit ? z : worst_latent_z(phi, 80'000, test_seed(6) + 1000);
}

TEST(latent_input, finds_the_posterior_of_a_path_and_a_parameter) {
  EXPECT_LE(repeated_latent_z(kPhi), kInvarianceLimit);
}
// Stretches drawn from a process that isn't the one whose density is in the ratio.
TEST(invariance_suite, rejects_stretches_of_another_process) {
  EXPECT_GT(repeated_latent_z(0.4), kInvarianceLimit);
}

TEST(proposals, refuse_what_makes_no_sense) {
  EXPECT_THROW(predicted_block({0}, {{.mean = {1.0}, .sd = {0.0}}}), Error);
  EXPECT_THROW(predicted_block({0, 1}, {{.mean = {1.0}, .sd = {1.0}}}), Error);
  EXPECT_THROW(
      regenerated_window(
          {.first = 0, .count = 3, .window = 0, .regenerate = nullptr, .log_prior = nullptr}),
      Error);
  EXPECT_THROW(predicted_block({0}, {{.mean = {kNaN}, .sd = {1.0}}}), Error);
}

TEST(proposals, refuse_points_that_they_do_not_fit) {
  const Prediction two{.mean = {1.0, 1.0}, .sd = {1.0, 1.0}};
  for (const auto& coordinates : std::vector<std::vector<Index>>{{0, 2}, {-1, 0}, {1, 1}})
    EXPECT_THROW(Metropolis({predicted_block(coordinates, {two})}, 2), Error);
  EXPECT_NO_THROW(Metropolis({predicted_block({1, 0}, {two})}, 2));
  const auto path = regenerated_window(
      {.first = 1, .count = 3, .window = 2, .regenerate = nullptr, .log_prior = nullptr});
  EXPECT_THROW(Metropolis({path}, 3), Error);
  EXPECT_NO_THROW(Metropolis({path}, 4));
  EXPECT_THROW(Metropolis({}, 2), Error);
}

}  // namespace
}  // namespace credo::infer::proposals_test
