// The Kalman filter and results derived from it. Its matrices are read off the densities of the program
// (density_reader.hpp).
#include "model/states/kalman_run.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "density/require.hpp"
#include "model/states/density_reader.hpp"
#include "numerics/information_filter.hpp"
#include "numerics/special.hpp"

namespace credo::model {
namespace {
using Values = std::vector<double>;
using Steps = std::span<const numerics::LinearGaussianStep>;

std::size_t place_of_entry(Index row, Index col, Index rows) {
  return static_cast<std::size_t>(row + col * rows);
}

// Compares the steps with the program along a path of states; returns the number of points.
Index along(DensityReader& reader, Steps steps, std::span<const numerics::GaussianState> states) {
  Index count = 0;
  for (std::size_t t = 0; t < steps.size(); ++t)
    count += reader.require_along(steps[t], static_cast<Index>(t),
                                  t == 0 ? nullptr : &states[t - 1], states[t]);
  return count;
}
}  // namespace

std::vector<numerics::LinearGaussianStep> linear_gaussian_steps(const StateModel& model) {
  DensityReader reader(model);
  std::vector<numerics::LinearGaussianStep> steps;
  for (Index t = 0; t < model.num_times(); ++t) steps.push_back(reader.step(t));
  return steps;
}

density::Capability can_switch(const StateModel& model) {
  if (model.num_regimes() > 0) return {};
  return {.can = false,
          .reason = "the program has no regimes to switch between",
          .where = "--method rao-blackwellised",
          .hint =
              "write vector initial_regimes(...) and vector next_regimes(int regime, ...) in "
              "its functions block; docs/algorithms/filters.md has the rules"};
}

numerics::SwitchingModel switching_model(StateModel& model) {
  density::require(can_switch(model));
  const auto count = static_cast<std::int32_t>(model.num_regimes());
  numerics::SwitchingModel switching{
      .steps = {}, .initial = model.regime_probabilities(0, 0), .transition = {{}}};
  for (std::int32_t k = 1; k <= count; ++k) {
    model.set_regime(k);
    switching.steps.push_back(linear_gaussian_steps(model));
  }
  for (Index t = 1; t < model.num_times(); ++t) {
    std::vector<double>& all = switching.transition.emplace_back();
    for (std::int32_t before = 1; before <= count; ++before) {
      const Values next = model.regime_probabilities(t, before);
      all.insert(all.end(), next.begin(), next.end());
    }
  }
  return switching;
}

void require_along(StateModel& model, const numerics::SwitchingModel& switching,
                   std::span<const KalmanTime> path) {
  std::vector<numerics::GaussianState> states;
  for (const KalmanTime& t : path) {
    numerics::GaussianState& state = states.emplace_back();
    state.mean = t.mean;
    const Index d = ssize(t.sd);
    state.root.assign(static_cast<std::size_t>(d * d), 0.0);
    for (Index e = 0; e < d; ++e)
      state.root[place_of_entry(e, e, d)] = t.sd[static_cast<std::size_t>(e)];
  }
  for (std::size_t k = 0; k < switching.steps.size(); ++k) {
    model.set_regime(static_cast<std::int32_t>(k + 1));
    DensityReader reader(model);
    (void)along(reader, switching.steps[k], states);
  }
}

std::vector<double> KalmanTime::quantiles(std::span<const double> levels) const {
  std::vector<double> all;
  for (const double level : levels)
    for (std::size_t e = 0; e < mean.size(); ++e)
      all.push_back(mean[e] + sd[e] * numerics::inv_phi(level));
  return all;
}

namespace {
KalmanTime time_of(const numerics::GaussianState& state) {
  KalmanTime at_time{.log_increment = kNaN, .mean = state.mean, .sd = {}};
  const std::vector<double> covariance = state.covariance();
  const Index d = ssize(at_time.mean);
  for (Index i = 0; i < d; ++i)
    at_time.sd.push_back(std::sqrt(covariance[place_of_entry(i, i, d)]));
  return at_time;
}
}  // namespace

numerics::LinearGaussianStep first_distribution(const StateModel& model) {
  return DensityReader(model).transition_step(0);
}

density::Capability follows_one_regime(const StateModel& model, const char* option) {
  if (model.num_regimes() == 0) return {};
  return {.can = false,
          .reason = "the program switches between regimes, which this filter doesn't follow",
          .where = option,
          .hint = "take --method rao-blackwellised"};
}

density::Capability can_be_tracked(const StateModel& model, const char* option) {
  if (density::Capability can = can_read_densities(model, option); !can.can) return can;
  return follows_one_regime(model, option);
}

namespace {
// The steps and the unknown part of the first state; the filter is yet to run.
GaussianTrack steps_of(const StateModel& model, DensityReader& reader, const char* option) {
  density::require(follows_one_regime(model, option));
  GaussianTrack track;
  track.steps.push_back(reader.first_step(track.unknown));
  for (Index t = 1; t < model.num_times(); ++t) track.steps.push_back(reader.step(t));
  return track;
}

void require_determined(const GaussianTrack& track, double log_likelihood, const char* option) {
  if (track.unknown.empty() || !std::isnan(log_likelihood)) return;
  throw Error(ErrorCode::program,
              fmt::format("the outcomes don't determine the state of a diffuse start: {} of its "
                          "elements aren't known",
                          ssize(track.unknown) / ssize(track.steps[0].offset)),
              option, "give them a distribution in initial_lpdf");
}

// Runs the filter and compares the steps with the program along the filtered path.
template <class Filter>
GaussianTrack track_by(const StateModel& model, const char* option, const Filter& filter) {
  DensityReader reader(model, option);
  GaussianTrack track = steps_of(model, reader, option);
  track.filtered = filter(track.steps, track.unknown);
  require_determined(track, track.filtered.log_likelihood, option);
  require_finite_likelihood(track.filtered, option);
  track.num_checked = along(reader, track.steps, track.filtered.filtered);
  return track;
}
}  // namespace

void require_finite_likelihood(const numerics::KalmanResult& filtered, const char* option) {
  if (std::isfinite(filtered.log_likelihood)) return;
  std::size_t time = 0;
  while (time + 1 < filtered.log_increments.size() && std::isfinite(filtered.log_increments[time]))
    ++time;
  throw Error(ErrorCode::evaluation,
              fmt::format("the log likelihood is {}: at time {} the outcome has no density",
                          filtered.log_likelihood, time + 1),
              option, "check the outcome of this time, and the parameters");
}

GaussianTrack kalman_track(const StateModel& model) {
  return track_by(model, "--method kalman", [](Steps steps, std::span<const double> unknown) {
    return numerics::diffuse_kalman_filter(steps, unknown);
  });
}

GaussianTrack information_track(const StateModel& model) {
  return track_by(model, "--method information", [](Steps steps, std::span<const double> unknown) {
    return numerics::information_filter(steps, unknown);
  });
}

KalmanRun filtered_run(const GaussianTrack& track) {
  KalmanRun run{.log_likelihood = track.filtered.log_likelihood,
                .times = {},
                .num_checked = track.num_checked};
  for (std::size_t t = 0; t < track.steps.size(); ++t) {
    run.times.push_back(time_of(track.filtered.filtered[t]));
    run.times.back().log_increment = track.filtered.log_increments[t];
  }
  return run;
}

KalmanTime outcome_distribution(const numerics::LinearGaussianStep& step,
                                const numerics::GaussianState& state) {
  const Index m = ssize(step.observation_offset), d = ssize(state.mean);
  KalmanTime distribution{.log_increment = kNaN, .mean = step.observation_offset, .sd = {}};
  for (Index i = 0; i < m; ++i) {
    double variance = step.observation_noise[place_of_entry(i, i, m)];
    for (Index e = 0; e < d; ++e)
      distribution.mean[static_cast<std::size_t>(i)] +=
          step.observation[place_of_entry(i, e, m)] * state.mean[static_cast<std::size_t>(e)];
    for (Index k = 0; k < d; ++k) {  // |S c|^2 of the row c of C
      double along_row = 0.0;
      for (Index e = 0; e < d; ++e)
        along_row +=
            state.root[place_of_entry(k, e, d)] * step.observation[place_of_entry(i, e, m)];
      variance += along_row * along_row;
    }
    distribution.sd.push_back(std::sqrt(variance));
  }
  return distribution;
}

std::vector<KalmanTime> forecast_outcomes(const StateModel& model, GaussianTrack& track,
                                          const char* option) {
  DensityReader reader(model, option);
  std::vector<KalmanTime> distributions;
  for (Index t = model.first_forecast(); t < model.num_times(); ++t) {
    const auto at = static_cast<std::size_t>(t);
    const numerics::GaussianState& state = track.filtered.filtered[at];
    const numerics::LinearGaussianStep step = reader.forecast_step(track.steps[at], t, state.mean);
    track.num_checked +=
        reader.require_along(step, t, t == 0 ? nullptr : &track.filtered.filtered[at - 1], state);
    distributions.push_back(outcome_distribution(step, state));
  }
  return distributions;
}

namespace {
// Paths that are made of standard normal numbers, as many as the states have.
void draw_paths(KalmanSmoothing& smoothing, Index num_paths, Index num_numbers, std::uint64_t seed,
                const std::function<Values(std::span<const double> normals)>& path_of) {
  Values normals(static_cast<std::size_t>(num_numbers));
  for (Index p = 0; p < num_paths; ++p) {
    Rng rng({.seed = seed,
             .purpose = purpose::kFilter,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(3 + p)});
    for (double& z : normals) z = rng.normal();
    const Values path = path_of(normals);
    smoothing.paths.insert(smoothing.paths.end(), path.begin(), path.end());
  }
}
}  // namespace

KalmanSmoothing smoothed_run(const GaussianTrack& track, Index num_paths, std::uint64_t seed) {
  if (!track.unknown.empty())
    throw Error(
        ErrorCode::program, "smoothed distributions of a diffuse start aren't there by this method",
        "--method kalman", "take --method two-filter, which begins without any information");
  KalmanSmoothing smoothing{.run = {.log_likelihood = track.filtered.log_likelihood, .times = {}},
                            .paths = {},
                            .num_checked = track.num_checked};
  for (const numerics::GaussianState& state : numerics::rts_smoother(track.steps, track.filtered))
    smoothing.run.times.push_back(time_of(state));
  const std::vector<numerics::BackwardDistribution> distributions =
      numerics::backward_distributions(track.steps, track.filtered);
  draw_paths(smoothing, num_paths, ssize(track.steps) * ssize(track.steps[0].offset), seed,
             [&](std::span<const double> normals) {
               return numerics::smoothed_path(track.filtered, distributions, normals);
             });
  return smoothing;
}

KalmanSmoothing two_filter_run(const StateModel& model, Index num_paths, std::uint64_t seed) {
  DensityReader reader(model, "--method two-filter");
  const GaussianTrack track = steps_of(model, reader, "--method two-filter");
  const numerics::TwoFilterSmoothing found =
      numerics::two_filter_smoother(track.steps, track.unknown);
  require_determined(track, found.log_likelihood, "--method two-filter");
  KalmanSmoothing smoothing{.run = {.log_likelihood = found.log_likelihood, .times = {}},
                            .paths = {},
                            .num_checked = along(reader, track.steps, found.smoothed)};
  for (const numerics::GaussianState& state : found.smoothed)
    smoothing.run.times.push_back(time_of(state));
  draw_paths(
      smoothing, num_paths, ssize(track.steps) * ssize(track.steps[0].offset), seed,
      [&](std::span<const double> normals) { return numerics::smoothed_path(found, normals); });
  return smoothing;
}

}  // namespace credo::model
