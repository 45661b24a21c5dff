// SMC^2 against the exact evidence and posterior, by quadrature over Kalman filters, and filters of another model.
#include <gtest/gtest.h>

#include "infer/core/table.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/linear_states.hpp"
#include "infer/standard_scores.hpp"
#include "infer/tape.hpp"
#include "support/share.hpp"
#include "support/test_seed.hpp"

namespace credo::infer::smc2_test {
namespace {
using namespace credo::testing;

// The parameters of the linear model, whose prior can be drawn from; the filters' innovations are `wider` than the model's.
class WithPrior final : public density::LogDensity {
 public:
  explicit WithPrior(double wider = 1.0) : wider_(wider) {}
  Index dimension() const override { return 2; }
  bool has_gradient() const override { return false; }
  std::string describe(const density::Status& status) const override {
    return posterior_.describe(status);
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return posterior_.make_evaluator();
  }
  std::unique_ptr<density::LogDensity> prior() const override {
    return std::make_unique<WithPrior>(wider_);
  }
  density::Capability can_draw() const override { return {}; }
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override {
    return std::make_unique<Drawing>(posterior_);
  }
  std::unique_ptr<density::StateSpaceAt> make_state_space() const override {
    return std::make_unique<Wider>(wider_);
  }

 private:
  struct Drawing final : density::ExactDraws {
    explicit Drawing(const LinearPosterior& of_) : of(of_) {}
    std::optional<density::Start> next(Rng& rng) override {
      std::vector<double> x = {0.5 + 0.3 * rng.normal(), -0.5 + 0.4 * rng.normal()};
      const double log_density = of.log_density(x);
      return density::Start{.position = std::move(x), .log_density = log_density};
    }
    const LinearPosterior& of;
  };
  class Wider final : public density::StateSpaceAt {
   public:
    explicit Wider(double wider) : wider_(wider) {}
    std::span<const Index> state_coordinates() const override { return {}; }
    const density::StateSpace& at(std::span<const double> x) override {
      return space_.emplace(LinearParameters{x[0], wider_ * std::exp(x[1])}, StateFault::none);
    }

   private:
    double wider_;
    std::optional<LinearStates> space_;
  };
  double wider_;
  LinearPosterior posterior_{{.has_states = false}};
};

// log of the integral of the likelihood over the prior: trapezoids, as whole_truth() has them.
double exact_log_evidence() {
  constexpr int kSteps = 96;
  const double step_phi = 0.3 * 12.0 / kSteps, step_eta = 0.4 * 12.0 / kSteps;
  double total = 0.0;
  for (int i = 0; i <= kSteps; ++i)
    for (int j = 0; j <= kSteps; ++j) {
      const double phi = 0.5 + step_phi * (i - kSteps / 2),
                   eta = -0.5 + step_eta * (j - kSteps / 2);
      total += step_phi * step_eta *
               std::exp(numerics::kalman_filter(linear_steps({phi, std::exp(eta)})).log_likelihood +
                        log_normal(phi, 0.5, 0.3) + log_normal(eta, -0.5, 0.4));
    }
  return std::log(total);
}

SampleOptions options_of(Index num_populations, Index num_particles, const char* particles) {
  SampleOptions options{.sampler = "smc2",
                        .num_chains = num_populations,
                        .num_warmup = 0,
                        .num_draws = num_particles,
                        .seed = test_seed(21)};
  options.kernel = find_sampler("smc2").options();
  set_option(options, "particles", particles);
  return options;
}

// Standard scores, of the errors between populations: of the mean evidence over the truth, and of the posterior's means.
struct Smc2Scores {
  double evidence = 0.0, mean_of_log = 0.0, phi = 0.0, eta = 0.0;
};
Smc2Scores scores_of(const WithPrior& density, const SampleOptions& options) {
  const double exact = exact_log_evidence(), n = static_cast<double>(options.num_chains);
  StoredDraws store;
  const RunResult run = run_chains(density, options, store);
  std::array<double, 4> mean{}, square{};
  for (Index c = 0; c < options.num_chains; ++c) {
    const double log_ratio = log_evidence_of(run.chains[static_cast<std::size_t>(c)]).value - exact;
    std::array<double, 4> values = {std::exp(log_ratio) - 1.0, log_ratio, 0.0, 0.0};
    for (Index d = 0; d < 2; ++d)
      for (const double x : store.draws.chain(c, d))
        values[static_cast<std::size_t>(2 + d)] +=
            (x - whole_truth().mean[static_cast<std::size_t>(d)]) /
            static_cast<double>(options.num_draws);
    for (std::size_t k = 0; k < 4; ++k)
      mean[k] += values[k] / n, square[k] += values[k] * values[k] / n;
  }
  const auto z = [&](std::size_t k) {
    return mean[k] / std::sqrt((square[k] - mean[k] * mean[k]) / (n - 1.0));
  };
  return {z(0), z(1), z(2), z(3)};
}

// |z| < 4 fails for a right algorithm once in 16 000 figures.
LONG_TEST(smc2, has_the_evidence_and_the_posterior_whatever_the_number_of_state_particles) {
  for (const char* particles : {"5", "30"}) {
    const Smc2Scores z = scores_of(WithPrior(), options_of(100, 60, particles));
    EXPECT_LT(std::abs(z.evidence), 4.0) << particles;
    EXPECT_LT(std::abs(z.phi), 4.0) << particles;
    EXPECT_LT(std::abs(z.eta), 4.0) << particles;
  }
}

// Innovations that are 1.3 times as wide move the posterior of their size; the evidence hardly changes, since the prior has room for
// that. Wrong evidences are rejected below.
LONG_TEST(smc2, with_filters_of_another_model_is_rejected) {
  EXPECT_GT(std::abs(scores_of(WithPrior(1.3), options_of(100, 60, "30")).eta), 4.0);
}

LONG_TEST(smc2, reports_errors_of_the_evidence_that_are_standard_errors) {
  const double exact = exact_log_evidence();
  StandardScores right, other;
  SampleOptions options = options_of(1, 400, "30");
  for (Index k = 0; k < num_evidence_seeds(16); ++k) {
    options.seed = test_seed(400 + static_cast<std::uint64_t>(k));
    StoredDraws store;
    const LogEvidence found = log_evidence_of(run_chains(WithPrior(), options, store).chains[0]);
    right.add(found, exact);
    other.add(found, exact + 0.5);
  }
  right.print("smc2");
  EXPECT_TRUE(right.pass());
  EXPECT_FALSE(other.pass());
}

TEST(smc2, resumes_after_each_time_to_the_same_bits_with_any_number_of_threads) {
  const WithPrior density;
  SampleOptions options = options_of(2, 30, "10");
  Tape whole(-1, 2);
  options.num_threads = 1;
  run_chains(density, options, whole);
  for (Index after = 1; after <= ssize(linear_outcomes()); ++after) {
    options.states.clear();
    Tape first(after, 2), rest(-1, 2);
    options.num_threads = 3;
    run_chains(density, options, first);
    EXPECT_EQ(first.told, whole.told);
    options.states = first.states;
    run_chains(density, options, rest);
    EXPECT_EQ(first.told_later(), rest.told) << after;
  }
}

TEST(smc2, refuses_programs_whose_states_are_parameters) {
  StoredDraws store;
  EXPECT_THROW(run_chains(LinearPosterior(), options_of(1, 50, "10"), store), Error);
  EXPECT_THROW(run_chains(WithPrior(), options_of(1, 19, "10"), store), Error);
}

}  // namespace
}  // namespace credo::infer::smc2_test
