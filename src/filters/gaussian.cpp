// Kalman filters and smoothers: exact ones of linear Gaussian programs, and of programs that are made linear at each time
// (model/states/kalman_run.hpp, linearised_run.hpp).
#include "filters/filter.hpp"
#include "filters/proposal.hpp"
#include "filters/smoother.hpp"
#include "model/states/linearised_run.hpp"
#include "model/states/normal_reader.hpp"

namespace credo::filters {
namespace {
using model::GaussianTrack;
using model::KalmanTime;
using model::StateModel;
constexpr char kKalman[] = "--method kalman", kInformation[] = "--method information",
               kTwoFilter[] = "--method two-filter";

// ---- how a program is read

template <const char* option>
struct Exact {
  static density::Capability can_follow(const StateModel& states) {
    return model::can_be_tracked(states, option);
  }
  static GaussianTrack track(const StateModel& states, const NoOptions&) {
    return option == kKalman ? model::kalman_track(states) : model::information_track(states);
  }
  static std::vector<KalmanTime> forecast(const StateModel& states, const NoOptions&,
                                          GaussianTrack& track) {
    return model::forecast_outcomes(states, track, option);
  }
};

struct Linearised {
  static density::Capability can_follow(const StateModel& states) {
    return model::can_read_normal(states, "--method");
  }
  static model::LinearisedOptions how(const NoOptions&) { return {}; }
  static model::LinearisedOptions how(const SigmaPointOptions& own) {
    return {.how = model::Linearisation::unscented, .kappa = own.kappa};
  }
  static GaussianTrack track(const StateModel& states, const auto& own) {
    return model::linearised_track(states, how(own));
  }
  static std::vector<KalmanTime> forecast(const StateModel& states, const auto& own,
                                          GaussianTrack& track) {
    return model::linearised_forecast(states, how(own), track);
  }
};

// ---- filters

template <class Reads, class Options>
struct GaussianFilter final : Method<Filter, Options> {
  density::Capability can_follow(const StateModel& states) const override {
    return Reads::can_follow(states);
  }
  density::Capability can_forecast_outcomes(const StateModel&) const override { return {}; }
  bool is_exact() const override { return true; }
  infer::FilterAnswer run(StateModel& states, const infer::FilterOptions& options,
                          Index) const override {
    GaussianTrack track = Reads::track(states, this->own);
    const std::vector<KalmanTime> outcomes = Reads::forecast(states, this->own, track);
    const model::KalmanRun exact = model::filtered_run(track);
    infer::FilterAnswer result;
    result.num_checked = exact.num_checked;
    result.filtered.log_likelihood = exact.log_likelihood;
    std::vector<infer::FilteredTime>& times = result.filtered.times;
    for (const KalmanTime& t : exact.times)
      times.push_back({.log_increment = t.log_increment,
                       .mean = t.mean,
                       .sd = t.sd,
                       .quantiles = t.quantiles(options.levels)});
    for (std::size_t k = 0; k < outcomes.size(); ++k)
      times[times.size() - outcomes.size() + k].outcome = {outcomes[k].mean, outcomes[k].sd,
                                                           outcomes[k].quantiles(options.levels)};
    return result;
  }
};

// ---- smoothers

SmoothedStates smoothed_states(model::KalmanSmoothing exact) {
  SmoothedStates result;
  result.num_checked = exact.num_checked;
  result.log_likelihood = exact.run.log_likelihood;
  result.paths = std::move(exact.paths);
  for (const KalmanTime& t : exact.run.times)
    result.times.push_back(
        {.mean = t.mean, .sd = t.sd, .quantiles = t.quantiles(infer::kFilterLevels)});
  return result;
}

template <class Reads, class Options>
struct GaussianSmoother final : Method<Smoother, Options> {
  density::Capability can_follow(const StateModel& states) const override {
    return Reads::can_follow(states);
  }
  SmoothedStates run(const StateModel& states, const infer::FilterOptions& options, Index num_paths,
                     Index) const override {
    return smoothed_states(
        model::smoothed_run(Reads::track(states, this->own), num_paths, options.seed));
  }
};

struct TwoFilter final : Method<Smoother, NoOptions> {
  density::Capability can_follow(const StateModel& states) const override {
    return Exact<kTwoFilter>::can_follow(states);
  }
  SmoothedStates run(const StateModel& states, const infer::FilterOptions& options, Index num_paths,
                     Index) const override {
    return smoothed_states(model::two_filter_run(states, num_paths, options.seed));
  }
};
}  // namespace

extern const FilterMethod kalman_filter = row_of<GaussianFilter<Exact<kKalman>, NoOptions>>(
    {.name = "kalman", .summary = "exact, of linear Gaussian models", .reference = "anderson1979"});
extern const FilterMethod information_filter =
    row_of<GaussianFilter<Exact<kInformation>, NoOptions>>(
        {.name = "information",
         .summary = "the same in information form",
         .reference = "anderson1979"});
extern const FilterMethod ekf_filter = row_of<GaussianFilter<Linearised, NoOptions>>(
    {.name = "ekf",
     .summary = "extended Kalman filter, of normal densities whose means aren't linear",
     .reference = "sarkka2013"});
extern const FilterMethod ukf_filter = row_of<GaussianFilter<Linearised, SigmaPointOptions>>(
    {.name = "ukf",
     .summary = "unscented Kalman filter, of the same models",
     .reference = "julier1997"});

extern const SmootherMethod kalman_smoother = row_of<GaussianSmoother<Exact<kKalman>, NoOptions>>(
    {.name = "kalman", .summary = "exact, of linear Gaussian models", .reference = "rauch1965"});
extern const SmootherMethod two_filter_smoother =
    row_of<TwoFilter>({.name = "two-filter",
                       .summary = "the same, also for a diffuse distribution of the first state",
                       .reference = "fraser1969"});
extern const SmootherMethod ekf_smoother = row_of<GaussianSmoother<Linearised, NoOptions>>(
    {.name = "ekf",
     .summary = "extended Kalman smoother, of normal densities whose means aren't linear",
     .reference = "sarkka2013"});
extern const SmootherMethod ukf_smoother = row_of<GaussianSmoother<Linearised, SigmaPointOptions>>(
    {.name = "ukf",
     .summary = "unscented Kalman smoother, of the same models",
     .reference = "sarkka2013"});

}  // namespace credo::filters
