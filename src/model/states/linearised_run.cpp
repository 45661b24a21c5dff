// The extended and the unscented filter, and by their linear models the smoothers [sarkka2013, ch. 5, 9, 10]. Both make a linear
// model of each transition and each observation, which the Kalman filter of numerics then takes.
#include "model/states/linearised_run.hpp"

#include "model/states/normal_reader.hpp"
#include "numerics/unscented.hpp"

namespace credo::model {
namespace {
using numerics::GaussianState;
using numerics::LinearGaussianStep;
using numerics::LinearNormal;
using numerics::NormalMoments;

class StateLinearisation final : public numerics::LinearisedModel {
 public:
  StateLinearisation(const StateModel& model, const LinearisedOptions& options)
      : model_(model),
        options_(options),
        reader_(model, "--method"),
        first_(first_distribution(model)) {}

  Index num_times() const override { return model_.num_times(); }

  void transition(Index time, const GaussianState* before, LinearGaussianStep& step) override {
    if (before == nullptr) {
      step.offset = first_.offset;
      step.noise = first_.noise;
      return;
    }
    LinearNormal distribution = linear(
        *before, [&](const auto& points) { return reader_.transition(time, points); },
        [&](const NormalMoments& at) { return reader_.transition_slope(time, before->mean, at); });
    step.matrix = std::move(distribution.matrix);
    step.offset = std::move(distribution.offset);
    step.noise = std::move(distribution.noise);
  }

  void observation(Index time, const GaussianState& predicted, LinearGaussianStep& step) override {
    if (!model_.is_observed(time)) return;
    observe(time, predicted, step);
    step.outcome = reader_.outcome(time);
  }
  // The distribution of an outcome, whether there is one or not.
  void observe(Index time, const GaussianState& predicted, LinearGaussianStep& step) {
    LinearNormal distribution = linear(
        predicted, [&](const auto& points) { return reader_.observation(time, points); },
        [&](const NormalMoments& at) {
          return reader_.observation_slope(time, predicted.mean, at);
        });
    step.observation = std::move(distribution.matrix);
    step.observation_offset = std::move(distribution.offset);
    step.observation_noise = std::move(distribution.noise);
  }

 private:
  LinearNormal linear(const GaussianState& about, const auto& distributions,
                      const auto& slope) const {
    if (options_.how == Linearisation::unscented) {
      const numerics::SigmaPoints sigma = numerics::sigma_points(about, options_.kappa);
      return numerics::statistical_linearisation(sigma, distributions(sigma.points));
    }
    const NormalMoments at = distributions(std::vector<std::vector<double>>{about.mean})[0];
    LinearNormal distribution{.matrix = slope(at), .offset = at.mean, .noise = at.covariance};
    const std::size_t m = at.mean.size();
    for (std::size_t e = 0; e < about.mean.size(); ++e)
      for (std::size_t i = 0; i < m; ++i)
        distribution.offset[i] -= distribution.matrix[i + e * m] * about.mean[e];
    return distribution;
  }

  const StateModel& model_;
  LinearisedOptions options_;
  NormalReader reader_;
  LinearGaussianStep first_;
};
}  // namespace

GaussianTrack linearised_track(const StateModel& model, const LinearisedOptions& options) {
  StateLinearisation linearisation(model, options);
  GaussianTrack track;
  track.filtered = numerics::linearised_kalman_filter(linearisation, track.steps);
  require_finite_likelihood(track.filtered, "--method");
  return track;
}

std::vector<KalmanTime> linearised_forecast(const StateModel& model,
                                            const LinearisedOptions& options,
                                            const GaussianTrack& track) {
  StateLinearisation linearisation(model, options);
  std::vector<KalmanTime> distributions;
  for (Index t = model.first_forecast(); t < model.num_times(); ++t) {
    const GaussianState& state = track.filtered.filtered[static_cast<std::size_t>(t)];
    LinearGaussianStep step;
    linearisation.observe(t, state, step);
    distributions.push_back(outcome_distribution(step, state));
  }
  return distributions;
}

}  // namespace credo::model
