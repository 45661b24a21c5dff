// Filters and smoothers of state spaces by callables against the Kalman filter and its smoother, in closed form.
#include "api/support.hpp"

namespace credo::states_test {
namespace {

const std::vector<double> kSeen{0.8, -0.1, 1.9, 0.4, 1.2, 0.6, 2.1, 2.8};
constexpr double kStep = 0.5, kNoise = 1.0;  // standard deviations

struct Normal {
  double mean = 0.0, variance = 1.0;
};

// x_1 ~ normal(mu, step), x_t ~ normal(x_{t-1}, step), y_t ~ normal(x_t, noise).
struct ClosedForm {
  std::vector<Normal> filtered, smoothed;
  double log_likelihood = 0.0;

  explicit ClosedForm(double mu) {
    Normal state{mu, kStep * kStep};
    for (const double y : kSeen) {
      const double total = state.variance + kNoise * kNoise, gain = state.variance / total;
      log_likelihood += log_normal_density(y, state.mean, std::sqrt(total));
      filtered.push_back({state.mean + gain * (y - state.mean), state.variance * (1.0 - gain)});
      state = {filtered.back().mean, filtered.back().variance + kStep * kStep};
    }
    smoothed = filtered;
    for (std::size_t t = kSeen.size() - 1; t-- > 0;) {
      const double ahead = filtered[t].variance + kStep * kStep;
      const double gain = filtered[t].variance / ahead;
      smoothed[t].mean += gain * (smoothed[t + 1].mean - filtered[t].mean);
      smoothed[t].variance += gain * gain * (smoothed[t + 1].variance - ahead);
    }
  }
};

StateSpace walk(double step = kStep) {
  return {
      .num_times = static_cast<Index>(kSeen.size()),
      .draw_initial =
          [step](std::span<const double> theta, Random& random, std::span<double> state) {
            state[0] = theta[0] + step * random.normal();
          },
      .draw_transition =
          [step](std::span<const double>, Index, std::span<const double> previous, Random& random,
                 std::span<double> state) { state[0] = previous[0] + step * random.normal(); },
      .log_observation =
          [](std::span<const double>, Index time, std::span<const double> state) {
            return log_normal_density(kSeen[static_cast<std::size_t>(time)], state[0], kNoise);
          }};
}
StateSpace walk_with_density(double step = kStep, double stated = kStep) {
  StateSpace states = walk(step);
  states.log_transition = [stated](std::span<const double>, Index, std::span<const double> previous,
                                   std::span<const double> state) {
    return log_normal_density(state[0], previous[0], stated);
  };
  return states;
}

const StateRuns kRuns{.num_particles = 2000, .runs = 8, .paths = 500, .seed = 3};

// The largest deviation of a mean, in its standard errors, which have 7 degrees of freedom.
double deviation(const StateEstimates& found, const std::vector<Normal>& expected) {
  double most = 0.0;
  for (std::size_t t = 0; t < expected.size(); ++t)
    most = std::max(most,
                    std::fabs(found.times[t].mean[0] - expected[t].mean) / found.times[t].error[0]);
  return most;
}
// A t distribution of 7 degrees of freedom exceeds 8 once in 10,000.
constexpr double kMost = 8.0;

void expect_spread(const StateEstimates& found, const std::vector<Normal>& expected) {
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const double sd = std::sqrt(expected[t].variance);
    // 4,000 paths, or 16,000 particles: 6 standard errors of 2,000 independent draws.
    EXPECT_NEAR(found.times[t].sd[0], sd, 6.0 * sd / std::sqrt(2.0 * 2000.0)) << t;
    EXPECT_NEAR(found.times[t].q95[0], expected[t].mean + 1.645 * sd, 0.15 * sd) << t;
    EXPECT_NEAR(found.times[t].median[0], expected[t].mean, 0.15 * sd) << t;
    EXPECT_NEAR(found.times[t].q5[0], expected[t].mean - 1.645 * sd, 0.15 * sd) << t;
  }
}

TEST(states, are_filtered_as_by_the_kalman_filter) {
  const ClosedForm exact(0.5);
  const StateEstimates found = filter_states(walk(), {0.5}, kRuns);
  ASSERT_EQ(found.times.size(), kSeen.size());
  EXPECT_LT(deviation(found, exact.filtered), kMost);
  expect_spread(found, exact.filtered);
  EXPECT_NEAR(found.log_likelihood, exact.log_likelihood, kMost * found.error);
  EXPECT_LT(found.error, 0.05);
}

TEST(states, are_smoothed_as_by_the_kalman_smoother_with_and_without_a_density) {
  const ClosedForm exact(0.5);
  for (const StateSpace& states : {walk_with_density(), walk()}) {
    const StateEstimates found = smooth_states(states, {0.5}, kRuns);
    EXPECT_LT(deviation(found, exact.smoothed), kMost);
    EXPECT_NEAR(found.log_likelihood, exact.log_likelihood, kMost * found.error);
    if (states.log_transition != nullptr) expect_spread(found, exact.smoothed);
  }
}

// Planted faults: another step, and filtered in the place of smoothed states.
TEST(states, of_another_model_differ_from_the_closed_form) {
  const ClosedForm exact(0.5);
  EXPECT_GT(deviation(filter_states(walk(1.0), {0.5}, kRuns), exact.filtered), kMost);
  EXPECT_GT(deviation(filter_states(walk(), {0.5}, kRuns), exact.smoothed), kMost);
  EXPECT_GT(deviation(smooth_states(walk_with_density(1.0, 1.0), {0.5}, kRuns), exact.smoothed),
            kMost);
}

TEST(states, are_the_same_for_any_number_of_threads) {
  StateRuns runs{.num_particles = 1500, .runs = 2, .seed = 5};
  const StateEstimates one = smooth_states(walk_with_density(), {0.5}, runs);
  runs.threads = 3;
  const StateEstimates three = smooth_states(walk_with_density(), {0.5}, runs);
  for (std::size_t t = 0; t < kSeen.size(); ++t)
    EXPECT_EQ(one.times[t].mean[0], three.times[t].mean[0]);
}

TEST(states, of_two_elements_keep_their_order) {
  const StateSpace pair{
      .num_times = 2,
      .num_elements = 2,
      .draw_initial =
          [](std::span<const double>, Random& random, std::span<double> state) {
            state[0] = 5.0 + 0.1 * random.normal();
            state[1] = -5.0 + 0.1 * random.normal();
          },
      .draw_transition =
          [](std::span<const double>, Index, std::span<const double> previous, Random&,
             std::span<double> state) { state[0] = previous[0], state[1] = 2.0 * previous[1]; },
      .log_observation = [](std::span<const double>, Index,
                            std::span<const double>) { return 0.0; }};
  const StateEstimates found = filter_states(pair, {});
  EXPECT_NEAR(found.times[1].mean[0], 5.0, 0.05);
  EXPECT_NEAR(found.times[1].mean[1], -10.0, 0.05);
  EXPECT_NEAR(found.times[1].q95[1], -10.0 + 0.2 * 1.645, 0.1);
  EXPECT_NEAR(found.log_likelihood, 0.0, 1e-12);  // rounding
}

TEST(states, that_lack_a_part_or_state_another_density_are_refused) {
  EXPECT_NE(message_of([] { filter_states({}, {}); }).find("draw_initial"), std::string::npos);
  EXPECT_NE(
      message_of([] { filter_states(walk(), {std::nan("")}); }).find("parameter number 1 is nan"),
      std::string::npos);
  EXPECT_NE(message_of([] { filter_states(walk(), {0.5}, {.runs = 0}); }).find("one run"),
            std::string::npos);
  EXPECT_NE(
      message_of([] { filter_states(walk(), {0.5}, {.num_particles = 1}); }).find("num_particles"),
      std::string::npos);
  const std::string other =
      message_of([] { smooth_states(walk_with_density(kStep, 3.0 * kStep), {0.5}); });
  EXPECT_NE(other.find("log_transition"), std::string::npos) << other;
  EXPECT_EQ(other.find("transition_lpdf"), std::string::npos) << other;
}

}  // namespace
}  // namespace credo::states_test
