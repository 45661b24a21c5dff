// Kalman filters of models that aren't linear: at each time the model is made linear about the distribution of the state.
#pragma once
#include "model/states/kalman_run.hpp"

namespace credo::model {

//   extended    by the derivatives of the means, at the mean of the state
//   unscented   by the line that fits the means at the sigma points of the state best; the residual is noise
enum class Linearisation { extended, unscented };
struct LinearisedOptions {
  Linearisation how = Linearisation::extended;
  double kappa = 0.0;  // parameter of sigma points, at least 0
};

// Throws Error(program) where a density isn't normal in its first argument.
GaussianTrack linearised_track(const StateModel& model, const LinearisedOptions& options);
// The distributions of the outcomes from StateModel::first_forecast() on, by the model made linear about the filtered
// state.
std::vector<KalmanTime> linearised_forecast(const StateModel& model,
                                            const LinearisedOptions& options,
                                            const GaussianTrack& track);

}  // namespace credo::model
