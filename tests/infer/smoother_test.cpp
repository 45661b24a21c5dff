// Smoothers by particles: paths that are drawn backwards have the distribution that their definition gives them, and
// moments that are those of the Kalman smoother; faults that are planted are found.
#include "infer/smc/smoother.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "infer/smc/paris.hpp"
#include "numerics/kalman.hpp"

namespace credo::infer::smoother_test {
namespace {
using density::ParticleBlock;
constexpr Index kBlock = density::StateSpace::kBlock;

enum class Fault { none, no_transition, parent_off_by_one, ignores_an_element };

double log_normal(double x, double mean, double variance) {
  return -0.5 * (x - mean) * (x - mean) / variance - 0.5 * std::log(variance) -
         0.91893853320467274178;
}

// Two elements with noises of their own, one outcome a time, of which the fourth is missing.
class PairModel final : public density::StateSpace {
 public:
  explicit PairModel(Fault fault = Fault::none, Index num_times = 8) : fault_(fault) {
    const std::vector<double> outcomes{0.4, -1.1, 0.3, kNaN, 2.1, 1.4, -0.2, 0.9};
    for (Index t = 0; t < num_times; ++t)
      steps_.push_back({.matrix = {0.8, -0.3, 0.4, 0.7},
                        .offset = {0.1, 0.0},
                        .noise = {t == 0 ? 1.0 : 0.4, 0.0, 0.0, t == 0 ? 1.5 : 0.3},
                        .observation = {1.0, 0.5},
                        .observation_offset = {0.0},
                        .observation_noise = {0.5},
                        .outcome = {outcomes[static_cast<std::size_t>(t)]}});
  }
  Index num_times() const override { return ssize(steps_); }
  const density::Layout& state() const override { return state_; }
  bool is_observed(Index t) const override { return !std::isnan(step(t).outcome[0]); }
  density::Capability can(density::Kernel) const override { return {}; }
  density::Capability can_look_ahead() const override { return {.can = false}; }
  density::Capability can_weigh_transitions() const override { return {}; }
  std::unique_ptr<density::StateMover> make_mover(density::Kernel) const override;

  const numerics::LinearGaussianStep& step(Index t) const {
    return steps_[static_cast<std::size_t>(t)];
  }
  const std::vector<numerics::LinearGaussianStep>& steps() const { return steps_; }
  Fault fault() const { return fault_; }
  double mean(Index t, Index element, double a, double b) const {
    const auto e = static_cast<std::size_t>(element);
    return t == 0 ? step(t).offset[e]
                  : step(t).matrix[e] * a + step(t).matrix[2 + e] * b + step(t).offset[e];
  }
  double log_transition(Index t, const double* x, const double* before, Index stride) const {
    double sum = 0.0;
    for (Index e = 0; e < 2; ++e)
      if (e == 0 || fault_ != Fault::ignores_an_element)
        sum += log_normal(x[e * stride], mean(t, e, before[0], before[stride]),
                          step(t).noise[static_cast<std::size_t>(3 * e)]);
    return sum;
  }

 private:
  Fault fault_;
  std::vector<numerics::LinearGaussianStep> steps_;
  density::Layout state_{{{.name = "x", .dims = {2}}}};
};

class PairMover final : public density::StateMover {
 public:
  explicit PairMover(const PairModel& model) : m_(model) {}
  void move(const ParticleBlock& b) override {
    for (Index i = 0; i < b.count; ++i) {
      Rng rng({.seed = b.seed,
               .purpose = purpose::kTest,
               .chain = static_cast<std::uint32_t>(b.first + i),
               .iteration = 0});
      const double a = b.time == 0 ? 0.0 : b.previous[i],
                   c = b.time == 0 ? 0.0 : b.previous[kBlock + i];
      for (Index e = 0; e < 2; ++e)
        b.next[e * kBlock + i] =
            m_.mean(b.time, e, a, c) +
            std::sqrt(m_.step(b.time).noise[static_cast<std::size_t>(3 * e)]) * rng.normal();
      b.log_weights[i] =
          m_.is_observed(b.time)
              ? log_normal(m_.step(b.time).outcome[0], b.next[i] + 0.5 * b.next[kBlock + i], 0.5)
              : 0.0;
    }
  }
  void look_ahead(const ParticleBlock&) override {}
  void transitions(const ParticleBlock& b) override {
    // Without the transition all weights of a pair's parents are the same, and still seem to depend on the state.
    const Index shift = m_.fault() == Fault::parent_off_by_one ? 1 : 0;
    for (Index i = 0; i < b.count; ++i)
      b.log_weights[i] =
          m_.fault() == Fault::no_transition
              ? -1e-12 * (std::fabs(b.next[i]) + std::fabs(b.next[kBlock + i]))
              : m_.log_transition(b.time, b.next + i, b.previous + (i + shift) % b.count, kBlock);
  }

 private:
  const PairModel& m_;
};
std::unique_ptr<density::StateMover> PairModel::make_mover(density::Kernel) const {
  return std::make_unique<PairMover>(*this);
}

std::vector<Generation> generations_of(const PairModel& model, Index num_particles) {
  return run_filter(model,
                    {.num_particles = num_particles, .resample_below = 1.0, .keep_ancestry = true})
      .generations;
}

// Three particles and three times: the 27 paths, each with the product of its backward weights as the definition has them. The
// chi-squared statistic of 20,000 paths has 26 degrees of freedom, fewer where paths are impossible: above 60 once in 6,000.
double chi_squared(const PairModel& truth, const PairModel& asked) {
  const std::vector<Generation> g = generations_of(truth, 3);
  const Index count = 20000;
  const ParticlePaths paths = backward_paths(asked, g, {.num_paths = count, .seed = 5});
  std::map<std::array<int, 3>, double> seen;
  for (std::size_t p = 0; p < static_cast<std::size_t>(count); ++p)
    seen[{paths.particles[0][p], paths.particles[1][p], paths.particles[2][p]}] += 1.0;
  const auto backward = [&](std::size_t t, int next) {  // of the three particles of time t
    std::array<double, 3> w{};
    double total = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double before[2] = {g[t].states[i], g[t].states[3 + i]};
      const double x[2] = {g[t + 1].states[static_cast<std::size_t>(next)],
                           g[t + 1].states[static_cast<std::size_t>(3 + next)]};
      total += w[i] =
          g[t].weights[i] * std::exp(truth.log_transition(static_cast<Index>(t + 1), x, before, 1));
    }
    for (double& v : w) v /= total;
    return w;
  };
  double sum = 0.0;
  for (int c = 0; c < 3; ++c)
    for (int b = 0; b < 3; ++b)
      for (int a = 0; a < 3; ++a) {
        const double expected = static_cast<double>(count) *
                                g[2].weights[static_cast<std::size_t>(c)] *
                                backward(1, c)[static_cast<std::size_t>(b)] *
                                backward(0, b)[static_cast<std::size_t>(a)];
        const double off = seen[{a, b, c}] - expected;
        if (expected > 1e-3) sum += off * off / expected;
      }
  return sum;
}

TEST(backward_paths, have_the_distribution_of_their_definition) {
  const PairModel model(Fault::none, 3);
  EXPECT_LT(chi_squared(model, model), 60.0);
  EXPECT_GT(chi_squared(model, PairModel(Fault::no_transition, 3)), 600.0);
  EXPECT_GT(chi_squared(model, PairModel(Fault::parent_off_by_one, 3)), 600.0);
}

int num_seeds() {
  const char* given = std::getenv("CREDO_SMOOTHER_SEEDS");
  return given != nullptr ? std::atoi(given) : 60;
}

// The largest |z| of means of x, x^2 and x_t x_{t+1} of both elements over the seeds, against the Kalman smoother. 60 seeds of 200
// particles: the bias, of the order of 1/200 of a deviation, is below half a standard error.
double largest_score(const PairModel& model, SmoothMethod method, Index parent_shift = 0) {
  const auto& steps = model.steps();
  const auto filtered = numerics::kalman_filter(steps);
  const auto smoothed = numerics::rts_smoother(steps, filtered);
  const auto distributions = numerics::backward_distributions(steps, filtered);
  const int seeds = num_seeds();
  std::map<std::array<std::size_t, 3>, std::pair<double, double>> sums;  // (t, element, which)
  const auto expected = [&](std::size_t t, std::size_t e, std::size_t which) {
    const double mean = smoothed[t].mean[e];
    if (which == 0) return mean;
    if (which == 1) return mean * mean + smoothed[t].covariance()[3 * e];
    const auto later = smoothed[t + 1].covariance();  // Cov(x_t, x_{t+1}) = G P
    return mean * smoothed[t + 1].mean[e] + distributions[t].gain[e] * later[2 * e] +
           distributions[t].gain[2 + e] * later[2 * e + 1];
  };
  for (int seed = 1; seed <= seeds; ++seed) {
    const FilterOptions options{.num_particles = 200,
                                .seed = static_cast<std::uint64_t>(seed),
                                .quantiles = false,
                                .keep_ancestry = true};
    auto generations = run_filter(model, options).generations;
    for (Generation& g : generations)
      for (std::int32_t& p : g.parents) p = static_cast<std::int32_t>((p + parent_shift) % 200);
    const ParticlePaths paths =
        method == SmoothMethod::ffbs
            ? backward_paths(model, generations, {.num_paths = 100, .seed = options.seed})
            : genealogy_paths(generations);
    for (std::size_t t = 0; t < generations.size(); ++t)
      for (std::size_t e = 0; e < 2; ++e)
        for (std::size_t which = 0; which < (t + 1 < generations.size() ? 3u : 2u); ++which) {
          double estimate = 0.0;
          for (std::size_t p = 0; p < paths.weights.size(); ++p) {
            const auto at = [&](std::size_t time) {
              return generations[time]
                  .states[200 * e + static_cast<std::size_t>(paths.particles[time][p])];
            };
            estimate += paths.weights[p] * at(t) *
                        (which == 0   ? 1.0
                         : which == 1 ? at(t)
                                      : at(t + 1));
          }
          auto& [sum, squares] = sums[{t, e, which}];
          const double off = estimate - expected(t, e, which);
          sum += off;
          squares += off * off;
        }
  }
  double largest = 0.0;
  for (const auto& [key, moments] : sums) {
    const double mean = moments.first / seeds, variance = moments.second / seeds - mean * mean;
    largest = std::max(largest, std::fabs(mean) / std::sqrt(variance / (seeds - 1)));
  }
  return largest;
}

// 46 scores: one of them is above 4.5 in absolute value for a right smoother once in 3,000 sets of seeds.
TEST(smoother, agrees_with_the_kalman_smoother) {
  EXPECT_LT(largest_score(PairModel(), SmoothMethod::ffbs), 4.5);
  EXPECT_LT(largest_score(PairModel(), SmoothMethod::genealogy), 4.5);
}
TEST(smoother, without_the_transition_in_its_weights_is_found) {
  EXPECT_GT(largest_score(PairModel(Fault::no_transition), SmoothMethod::ffbs), 10.0);
}
TEST(smoother, with_ancestors_off_by_one_is_found) {
  EXPECT_GT(largest_score(PairModel(Fault::parent_off_by_one), SmoothMethod::ffbs), 10.0);
  EXPECT_GT(largest_score(PairModel(), SmoothMethod::genealogy, 1), 10.0);
}

// Sums over times of x_t, x_t x_t' and x_t x_{t+1}', 10 numbers, and the means of each time, 16, by PaRIS, over the seeds.
double largest_score_of_paris(const PairModel& model) {
  const auto& steps = model.steps();
  const auto filtered = numerics::kalman_filter(steps);
  const auto smoothed = numerics::rts_smoother(steps, filtered);
  const auto distributions = numerics::backward_distributions(steps, filtered);
  std::vector<double> expected(10, 0.0);
  for (std::size_t t = 0; t < smoothed.size(); ++t) {
    const auto& mean = smoothed[t].mean;
    const auto now = smoothed[t].covariance();
    for (std::size_t a = 0; a < 2; ++a) {
      expected[a] += mean[a];
      for (std::size_t b = 0; b < 2; ++b)
        expected[2 + a + 2 * b] += mean[a] * mean[b] + now[a + 2 * b];
      if (t + 1 == smoothed.size()) continue;
      const auto later = smoothed[t + 1].covariance();  // Cov(x_t, x_{t+1}) = G P
      for (std::size_t b = 0; b < 2; ++b)
        expected[6 + a + 2 * b] += mean[a] * smoothed[t + 1].mean[b] +
                                   distributions[t].gain[a] * later[2 * b] +
                                   distributions[t].gain[2 + a] * later[2 * b + 1];
    }
  }
  for (const auto& state : smoothed)
    expected.insert(expected.end(), state.mean.begin(), state.mean.end());
  std::vector<double> sums(expected.size(), 0.0), squares(expected.size(), 0.0);
  const int seeds = num_seeds();
  for (int seed = 1; seed <= seeds; ++seed) {
    const FilterOptions options{.num_particles = 200,
                                .seed = static_cast<std::uint64_t>(seed),
                                .quantiles = false,
                                .keep_ancestry = true};
    const auto generations = run_filter(model, options).generations;
    const ParisResult found = paris(model, generations, {.seed = options.seed});
    std::vector<double> all = found.sums.states;
    all.insert(all.end(), found.sums.squares.begin(), found.sums.squares.end());
    all.insert(all.end(), found.sums.neighbours.begin(), found.sums.neighbours.end());
    for (const SmoothedTime& t : found.times) all.insert(all.end(), t.mean.begin(), t.mean.end());
    for (std::size_t k = 0; k < all.size(); ++k) {
      sums[k] += all[k] - expected[k];
      squares[k] += (all[k] - expected[k]) * (all[k] - expected[k]);
    }
  }
  double largest = 0.0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double mean = sums[k] / seeds, variance = squares[k] / seeds - mean * mean;
    largest = std::max(largest, std::fabs(mean) / std::sqrt(variance / (seeds - 1)));
  }
  return largest;
}

// 26 scores: one of them is above 4.5 for a right smoother once in 5,000 sets of seeds. Without the transition, ancestors are drawn by
// the weights of the filter.
TEST(paris, agrees_with_the_kalman_smoother) {
  EXPECT_LT(largest_score_of_paris(PairModel()), 4.5);
}
TEST(paris, by_the_weights_of_the_filter_is_found) {
  EXPECT_GT(largest_score_of_paris(PairModel(Fault::no_transition)), 10.0);
}

// The sums that are carried along and the distributions of the times are made of the same draws: sums of means and of
// second moments are equal.
TEST(paris, has_distributions_of_times_that_add_up_to_its_sums) {
  const auto generations =
      run_filter(PairModel(), {.num_particles = 150, .keep_ancestry = true}).generations;
  const ParisResult found = paris(PairModel(), generations, {.num_draws = 3, .num_paths = 40'000});
  for (std::size_t e = 0; e < 2; ++e) {
    double sum = 0.0, square = 0.0;
    for (const SmoothedTime& t : found.times) {
      sum += t.mean[e];
      square += t.mean[e] * t.mean[e] + t.sd[e] * t.sd[e];
    }
    EXPECT_NEAR(sum, found.sums.states[e], 1e-11);
    EXPECT_NEAR(square, found.sums.squares[3 * e], 1e-11);
  }
  // Paths have the distribution of the times: the mean of the first element at the first time, within 4 standard
  // errors of 40,000 paths.
  double mean = 0.0;
  for (const std::int32_t i : found.paths.particles[0])
    mean += generations[0].states[static_cast<std::size_t>(i)] / 40'000.0;
  EXPECT_NEAR(mean, found.times[0].mean[0], 4.0 * found.times[0].sd[0] / 200.0);
}

TEST(smoother, gives_the_same_bits_for_any_number_of_threads) {
  for (const SmoothMethod method :
       {SmoothMethod::ffbs, SmoothMethod::genealogy, SmoothMethod::paris}) {
    const auto run = [&](Index threads) {
      return run_smoother(PairModel(), {.num_particles = 700, .num_threads = threads},
                          {.method = method, .num_paths = 300});
    };
    const SmootherResult one = run(1), many = run(3);
    EXPECT_EQ(one.paths, many.paths);
    for (std::size_t t = 0; t < one.times.size(); ++t) {
      EXPECT_EQ(one.times[t].mean, many.times[t].mean);
      EXPECT_EQ(one.times[t].quantiles, many.times[t].quantiles);
    }
    EXPECT_NE(one.paths, run_smoother(PairModel(), {.num_particles = 700, .seed = 2},
                                      {.method = method, .num_paths = 300})
                             .paths);
  }
}

// Of the genealogy all 500 lines count, of which few reach the first time; backward paths go through many particles of it.
TEST(smoother, backwards_rests_on_more_particles_than_the_genealogy) {
  const FilterOptions options{.num_particles = 500, .resample_below = 1.0};
  const auto lines = run_smoother(PairModel(), options,
                                  {.method = SmoothMethod::genealogy, .num_paths = 500}),
             drawn = run_smoother(PairModel(), options,
                                  {.method = SmoothMethod::ffbs, .num_paths = 500});
  EXPECT_LT(2 * lines.times[0].num_distinct, drawn.times[0].num_distinct);
  EXPECT_EQ(lines.log_likelihood, drawn.log_likelihood);
}

// Weights 0.1, 0.2, 0.7 of the values 3, 1, 2.
TEST(smoothed_moments, are_those_of_weighted_paths) {
  const std::vector<Generation> g{{.states = {3.0, 1.0, 2.0}, .weights = {1, 1, 1}, .parents = {}}};
  const auto at = moments_of({.particles = {{0, 1, 2}}, .weights = {0.1, 0.2, 0.7}}, g)[0];
  EXPECT_NEAR(at.mean[0], 1.9, 1e-15);
  EXPECT_NEAR(at.sd[0], std::sqrt(0.1 * 1.21 + 0.2 * 0.81 + 0.7 * 0.01), 1e-15);
  EXPECT_EQ(at.quantiles, (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(at.num_distinct, 3);
  const SmootherResult one{.log_likelihood = 0.0,
                           .times = {{.mean = {1.0}, .sd = {0.5}, .quantiles = {0, 1, 2}}},
                           .paths = {}},
      two{.log_likelihood = 0.0,
          .times = {{.mean = {2.0}, .sd = {0.5}, .quantiles = {1, 2, 3}}},
          .paths = {}};
  const auto both = combined_times(std::vector{one, two})[0];
  EXPECT_NEAR(both.mean[0], 1.5, 1e-15);
  EXPECT_NEAR(both.sd[0], std::sqrt(0.25 + 0.25), 1e-15);
  EXPECT_NEAR(both.error[0], 0.5, 1e-15);  // sd of (1, 2), 0.7071, over the root of 2
  EXPECT_EQ(both.quantiles, (std::vector<double>{0.5, 1.5, 2.5}));
}

TEST(smoother, refuses_a_density_that_is_not_that_of_the_whole_state) {
  const auto message = [](const PairModel& model, SmoothMethod method) -> std::string {
    try {
      run_smoother(model, {.num_particles = 50}, {.method = method, .num_paths = 10});
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  };
  const PairModel model(Fault::ignores_an_element);
  EXPECT_EQ(message(model, SmoothMethod::ffbs),
            "transition_lpdf doesn't depend on x.2, so it isn't the density of the whole state, by "
            "which paths are simulated backwards");
  EXPECT_EQ(message(model, SmoothMethod::genealogy), "");
}

}  // namespace
}  // namespace credo::infer::smoother_test
