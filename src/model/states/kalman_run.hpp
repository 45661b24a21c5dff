// The exact filter of a state-space model that is linear and Gaussian: its log densities are quadratic, and
// their normal distributions are computed from a few values.
#pragma once
#include "model/states/state_model.hpp"
#include "numerics/switching_model.hpp"

namespace credo::model {

// The matrices of each time. Needs initial_lpdf and transition_lpdf. Throws Error(program) where a density isn't that of
// a linear Gaussian model at this point, with the function and the time, or where a state has more than 15 elements.
std::vector<numerics::LinearGaussianStep> linear_gaussian_steps(const StateModel& model);

// The first of them, without its outcome.
numerics::LinearGaussianStep first_distribution(const StateModel& model);

// For a program whose functions take a regime: its steps, and the chain of regimes. Throws as linear_gaussian_steps does,
// and where the program has no regimes. Leaves the model at its last regime.
density::Capability can_switch(const StateModel& model);
numerics::SwitchingModel switching_model(StateModel& model);
struct KalmanTime;
// Compares the steps of each regime with the program along a path of means and standard deviations. Throws as
// linear_gaussian_steps does. Leaves the model at its last regime.
void require_along(StateModel& model, const numerics::SwitchingModel& switching,
                   std::span<const KalmanTime> path);
// False for a program with regimes. `option` is what asks.
density::Capability follows_one_regime(const StateModel& model, const char* option);

// The steps of a filter and its result. Elements of the first state on which initial_lpdf doesn't depend are unknown: an
// exact diffuse start (numerics/kalman.hpp), whose likelihood is the integral over them of the program's density.
struct GaussianTrack {
  std::vector<numerics::LinearGaussianStep> steps;
  numerics::KalmanResult filtered;
  std::vector<double> unknown = {};  // a column for each
  // Points along the filtered path at which the steps were compared with the densities of the program.
  Index num_checked = 0;
};
// Throws Error(evaluation), naming the time, if a log likelihood isn't finite.
void require_finite_likelihood(const numerics::KalmanResult& filtered, const char* option);
// Reports if it has the densities that the exact filters read. `option` is the option that needs them.
density::Capability can_be_tracked(const StateModel& model, const char* option);
// Throws as linear_gaussian_steps does; also if the steps aren't those of the program along the filtered path, if the
// outcomes don't determine a diffuse start, or if the likelihood isn't finite.
GaussianTrack kalman_track(const StateModel& model);
// The track by the filter in information form.
GaussianTrack information_track(const StateModel& model);

struct KalmanTime {
  double log_increment = 0.0;
  std::vector<double> mean, sd;  // the state's, given outcomes up to the time, or all
  // Level by level, an element for each of the state's.
  std::vector<double> quantiles(std::span<const double> levels) const;
};
struct KalmanRun {
  double log_likelihood = 0.0;
  std::vector<KalmanTime> times;
  Index num_checked = 0;  // see GaussianTrack
};
KalmanRun filtered_run(const GaussianTrack& track);
// The normal distributions of the outcomes from StateModel::first_forecast() on, given all outcomes: with C, d, R of
// the read-off observation y = C x + d + N(0, R) and the filtered state N(m, P), N(C m + d, C P C' + R). Adds to the
// points that were compared. Throws as kalman_track does.
std::vector<KalmanTime> forecast_outcomes(const StateModel& model, GaussianTrack& track,
                                          const char* option);
// The distribution `N(C m + d, C P C' + R)` of the observation of a step.
KalmanTime outcome_distribution(const numerics::LinearGaussianStep& step,
                                const numerics::GaussianState& state);

// The states given all outcomes; no increments. `num_paths` draws of all states, [path][time][element].
struct KalmanSmoothing {
  KalmanRun run;
  std::vector<double> paths;
  Index num_checked = 0;  // see GaussianTrack
};
KalmanSmoothing smoothed_run(const GaussianTrack& track, Index num_paths, std::uint64_t seed);
// By two filters in information form, one of them backwards, of diffuse starts, too. Throws as kalman_track does.
KalmanSmoothing two_filter_run(const StateModel& model, Index num_paths, std::uint64_t seed);

}  // namespace credo::model
