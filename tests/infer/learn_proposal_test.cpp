// Proposals that are learnt: gradients by hand against differences, and what is learnt against the best distribution,
// which is known.
#include "infer/smc/learn_proposal.hpp"

#include <gtest/gtest.h>

#include "infer/smc/particle_filter.hpp"
#include "numerics/elementary.hpp"
#include "support/share.hpp"
#include "support/test_seed.hpp"

namespace credo::infer::learn_proposal_test {
namespace {
using density::StateSpace;
using numerics::ConditionalNormal;
using Numbers = std::vector<double>;

// ---- the distribution

ConditionalNormal some_distribution(std::uint64_t seed, Index elements, Index features) {
  Rng rng({.seed = seed, .purpose = purpose::kTest});
  const auto standard = [](Index n) {
    numerics::Standard s;
    for (Index k = 0; k < n; ++k) {
      s.centre.push_back(0.3 * static_cast<double>(k));
      s.scale.push_back(1.0 + 0.5 * static_cast<double>(k));
    }
    return s;
  };
  ConditionalNormal distribution(standard(features), standard(elements), 5, rng);
  for (double& w : distribution.weights()) w += 0.3 * rng.normal();
  return distribution;
}

TEST(conditional_normal, has_the_derivatives_of_its_log_density) {
  ConditionalNormal distribution = some_distribution(1, 2, 3);
  const Numbers features{0.4, -1.2, 0.7}, x{0.9, -0.3};
  const auto at = distribution.at(features);
  Numbers by_mean, by_log_sd, gradient(distribution.weights().size(), 0.0), by_features(3);
  for (std::size_t e = 0; e < 2; ++e) {
    const double sd = std::exp(at.log_sd[e]), z = (x[e] - at.mean[e]) / sd;
    by_mean.push_back(z / sd), by_log_sd.push_back(z * z - 1.0);
  }
  distribution.pull_back(at, by_mean, by_log_sd, gradient, by_features);
  constexpr double kStep = 1e-5;  // differences are right to about 1e-9
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    const double kept = distribution.weights()[k];
    distribution.weights()[k] = kept + kStep;
    const double above = log_density(distribution.at(features), x);
    distribution.weights()[k] = kept - kStep;
    const double below = log_density(distribution.at(features), x);
    distribution.weights()[k] = kept;
    EXPECT_NEAR(gradient[k], (above - below) / (2.0 * kStep), 1e-7) << k;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    Numbers moved = features;
    moved[k] += kStep;
    const double above = log_density(distribution.at(moved), x);
    moved[k] -= 2.0 * kStep;
    EXPECT_NEAR(by_features[k], (above - log_density(distribution.at(moved), x)) / (2.0 * kStep),
                1e-7);
  }
  Numbers unknown = features;
  unknown[1] = kNaN;  // counts as its centre
  EXPECT_EQ(distribution.at(unknown).mean, distribution.at(Numbers{0.4, 0.3, 0.7}).mean);
}

// ---- a linear model: x_1 ~ N(0, 1), x_t = 0.8 x_{t-1} + N(0, 0.6^2), y_t = x_t + N(0, 0.2^2)

constexpr double kPhi = 0.8, kMove = 0.6, kNoise = 0.2;
double log_normal(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -0.5 * z * z - std::log(sd) - 0.5 * std::log(2.0 * std::numbers::pi);
}

class LineMover final : public density::StateMover {
 public:
  LineMover(const StateSpace& of, const Numbers& y, const ConditionalNormal* distribution,
            bool weighs)
      : of_(of), y_(y), distribution_(distribution), weighs_(weighs) {}
  void move(const density::ParticleBlock& block) override {
    const auto t = static_cast<std::size_t>(block.time);
    Rng rng({.seed = block.seed,
             .purpose = purpose::kTest,
             .chain = static_cast<std::uint32_t>(block.first)});
    for (Index i = 0; i < StateSpace::kBlock; ++i) {
      const double before = block.time == 0 ? 0.0 : block.previous[i];
      const double mean = block.time == 0 ? 0.0 : kPhi * before, sd = block.time == 0 ? 1.0 : kMove;
      double& x = block.next[i];
      block.log_weights[i] = 0.0;
      if (distribution_ != nullptr && of_.is_observed(block.time)) {
        const Numbers previous = block.time == 0 ? Numbers() : Numbers{before};
        const auto at =
            distribution_->at(density::proposal_features(previous, 1, std::span(&y_[t], 1)));
        x = at.mean[0] + std::exp(at.log_sd[0]) * rng.normal();
        block.log_weights[i] = log_normal(x, mean, sd);
        if (weighs_) block.log_weights[i] -= log_density(at, std::span(&x, 1));
      } else {
        x = mean + sd * rng.normal();
      }
      if (of_.is_observed(block.time)) block.log_weights[i] += log_normal(y_[t], x, kNoise);
    }
  }
  void look_ahead(const density::ParticleBlock&) override {}

 private:
  const StateSpace& of_;
  const Numbers& y_;
  const ConditionalNormal* distribution_;
  bool weighs_;
};

class LineSpace final : public StateSpace {
 public:
  LineSpace(const Numbers& y, std::optional<ConditionalNormal> distribution, bool weighs)
      : y_(y), distribution_(std::move(distribution)), weighs_(weighs), state_({{.name = "x"}}) {}
  Index num_times() const override { return ssize(y_); }
  const density::Layout& state() const override { return state_; }
  bool is_observed(Index time) const override {
    return !std::isnan(y_[static_cast<std::size_t>(time)]);
  }
  density::Capability can(density::Kernel) const override { return {}; }
  density::Capability can_look_ahead() const override { return {.can = false}; }
  std::unique_ptr<density::StateMover> make_mover(density::Kernel kernel) const override {
    return std::make_unique<LineMover>(
        *this, y_, kernel == density::Kernel::guided && distribution_ ? &*distribution_ : nullptr,
        weighs_);
  }

 private:
  const Numbers& y_;
  std::optional<ConditionalNormal> distribution_;
  bool weighs_;
  density::Layout state_;
};

class Line final : public density::LearnableSpace {
 public:
  explicit Line(Numbers y) : y_(std::move(y)), space_(y_, {}, true) {}
  const StateSpace& space() const override { return space_; }
  Numbers outcome_at(Index time) const override { return {y_[static_cast<std::size_t>(time)]}; }
  std::unique_ptr<StateSpace> guided_by(const ConditionalNormal& distribution) const override {
    return std::make_unique<LineSpace>(y_, distribution, true);
  }
  Numbers draw_outcomes(Index, std::span<const double> states, Rng& rng) override {
    Numbers all;
    for (const double x : states) all.push_back(x + kNoise * rng.normal());
    return all;
  }
  density::StateSlopes slopes(Index time, std::span<const double> states,
                              std::span<const double> previous) override {
    density::StateSlopes s;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const double mean = time == 0 ? 0.0 : kPhi * previous[i], sd = time == 0 ? 1.0 : kMove;
      const double x = states[i], y = y_[static_cast<std::size_t>(time)];
      s.log_transition.push_back(log_normal(x, mean, sd));
      s.by_state.push_back((mean - x) / (sd * sd));
      s.by_previous.push_back(time == 0 ? 0.0 : kPhi * (x - mean) / (sd * sd));
      s.log_outcome.push_back(log_normal(y, x, kNoise));
      s.outcome_by_state.push_back((y - x) / (kNoise * kNoise));
    }
    return s;
  }
  const Numbers& y() const { return y_; }

 private:
  Numbers y_;
  LineSpace space_;
};

Numbers simulated(Index num_times, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest, .chain = 9});
  Numbers y;
  double x = rng.normal();
  for (Index t = 0; t < num_times; ++t) {
    y.push_back(x + kNoise * rng.normal());
    x = kPhi * x + kMove * rng.normal();
  }
  return y;
}

double kalman_log_likelihood(const Numbers& y) {
  double mean = 0.0, variance = 1.0, sum = 0.0;
  for (const double seen : y) {
    if (!std::isnan(seen)) {
      const double total = variance + kNoise * kNoise;
      sum += log_normal(seen, mean, std::sqrt(total));
      const double gain = variance / total;
      mean += gain * (seen - mean), variance *= 1.0 - gain;
    }
    mean *= kPhi, variance = kPhi * kPhi * variance + kMove * kMove;
  }
  return sum;
}

double mean_ess(const StateSpace& space, FilterMethod method) {
  const FilterResult run = run_filter(space, {.num_particles = 500, .method = method, .seed = 4});
  double sum = 0.0;
  for (const FilteredTime& t : run.times) sum += t.ess / static_cast<double>(run.times.size());
  return sum;
}

double score_of(const StateSpace& space, double exact) {
  constexpr int kSeeds = 200;
  double mean = 0.0, squares = 0.0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const double ratio = std::exp(run_filter(space, {.num_particles = 20,
                                                     .method = FilterMethod::guided,
                                                     .seed = static_cast<std::uint64_t>(seed),
                                                     .quantiles = false})
                                      .log_likelihood -
                                  exact);
    mean += ratio / kSeeds, squares += ratio * ratio / kSeeds;
  }
  return (mean - 1.0) / std::sqrt((squares - mean * mean) / (kSeeds - 1));
}

// The optimal distribution is N(m, v), 1/v = 1/0.6^2 + 1/0.2^2, m = v (0.8 x / 0.6^2 + y / 0.2^2), linear in what it
// is given: then weights don't depend on the draw, and 500 of 500 particles are effective but for differences of where
// they come from.
LONG_TEST(learn_proposal, comes_near_the_optimal_distribution_by_each_way) {
  Numbers y = simulated(40, 3);
  y[7] = y[31] = kNaN;
  Line line(y);
  const double exact = kalman_log_likelihood(y);
  const double v = 1.0 / (1.0 / (kMove * kMove) + 1.0 / (kNoise * kNoise));
  const double bootstrap = mean_ess(line.space(), FilterMethod::bootstrap);
  for (const Learning how : {Learning::nasmc, Learning::amortized, Learning::vsmc}) {
    SCOPED_TRACE(static_cast<int>(how));
    const ConditionalNormal distribution = learn_proposal(line, {.how = how, .num_steps = 250});
    // Of vsmc few steps are its own: it is held to what particles are worth alone.
    if (how != Learning::vsmc)
      for (const auto& [x, seen] : {std::pair{0.5, 0.9}, std::pair{-0.8, -0.2}}) {
        const auto at =
            distribution.at(density::proposal_features(std::span(&x, 1), 1, std::span(&seen, 1)));
        const double mean = v * (kPhi * x / (kMove * kMove) + seen / (kNoise * kNoise));
        EXPECT_NEAR(at.mean[0], mean,
                    std::sqrt(v));  // where few states are; the distribution is N(m, v)
        EXPECT_NEAR(at.log_sd[0], 0.5 * std::log(v), 0.3);
      }
    const auto guided = line.guided_by(distribution);
    const double found = mean_ess(*guided, FilterMethod::guided);
    std::printf("effective of 500: %.0f, by the transition %.0f\n", found, bootstrap);
    EXPECT_GT(found, 1.5 * bootstrap);
    EXPECT_LT(std::abs(score_of(*guided, exact)), 3.5);
    // Drawn from the distribution, and not weighed by it.
    EXPECT_GT(std::abs(score_of(LineSpace(line.y(), distribution, false), exact)), 6.0);
    // The same seed, the same distribution.
    const ConditionalNormal once = learn_proposal(line, {.how = how, .num_steps = 10}),
                            again = learn_proposal(line, {.how = how, .num_steps = 10});
    EXPECT_TRUE(std::ranges::equal(again.weights(), once.weights()));
  }
}

// With one particle the bound is the evidence lower bound, of a mean that is known: with q = N(m, s^2) for the only time,
// E log p(x) + E log p(y | x) + entropy.
TEST(learn_proposal, has_the_evidence_lower_bound_for_one_particle_and_rises_to_the_likelihood) {
  Line line({0.7});
  const ConditionalNormal distribution = some_distribution(5, 1, 3);
  const auto at = distribution.at(density::proposal_features({}, 1, line.y()));
  const double m = at.mean[0], s = std::exp(at.log_sd[0]);
  const double elbo = log_normal(0.0, m, 1.0) - 0.5 * s * s + log_normal(0.7, m, kNoise) -
                      0.5 * s * s / (kNoise * kNoise) + std::log(s) +
                      0.5 * std::log(2.0 * std::numbers::pi * std::numbers::e);
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest});
  Numbers bounds;
  for (const Index particles : {1, 8, 64}) {
    constexpr int kRuns = 4000;
    double mean = 0.0, squares = 0.0;
    for (int k = 0; k < kRuns; ++k) {
      const double value = vsmc_gradient(line, distribution, particles, rng).log_likelihood;
      mean += value / kRuns, squares += value * value / kRuns;
    }
    const double error = std::sqrt((squares - mean * mean) / kRuns);
    if (particles == 1) {
      EXPECT_NEAR(mean, elbo, 4.5 * error);
    }
    EXPECT_LT(mean, kalman_log_likelihood(line.y()) + 4.5 * error);
    bounds.push_back(mean);
  }
  EXPECT_LT(bounds[0], bounds[1]);
  EXPECT_LT(bounds[1], bounds[2]);
}

// Of one particle nothing is resampled, so that the gradient is that of the value with the same noise.
TEST(learn_proposal, has_the_gradient_of_the_bound_along_a_path) {
  Line line(simulated(6, 8));
  ConditionalNormal distribution = some_distribution(6, 1, 3);
  const auto value = [&] {
    Rng rng({.seed = 12, .purpose = purpose::kTest});
    return vsmc_gradient(line, distribution, 1, rng);
  };
  const Numbers gradient = value().gradient;
  double largest = 0.0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  constexpr double kStep = 1e-6;
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    const double kept = distribution.weights()[k];
    distribution.weights()[k] = kept + kStep;
    const double above = value().log_likelihood;
    distribution.weights()[k] = kept - kStep;
    const double difference = (above - value().log_likelihood) / (2.0 * kStep);
    distribution.weights()[k] = kept;
    EXPECT_NEAR(gradient[k], difference, 1e-6 * (1.0 + largest)) << k;
  }
}

}  // namespace
}  // namespace credo::infer::learn_proposal_test
