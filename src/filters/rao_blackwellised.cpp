// Particles that are regimes, each with a Kalman filter (infer/smc/switching_filter.hpp).
#include "filters/filter.hpp"
#include "filters/resampling_options.hpp"
#include "infer/smc/switching_filter.hpp"
#include "model/states/kalman_run.hpp"

namespace credo::filters {
namespace {
using model::StateModel;

struct RegimeOptions {
  ResamplingOptions resampling = {};
  infer::RegimeMoves regimes = infer::RegimeMoves::prior;

  static void describe(auto& self, auto&& field) {
    field(self.resampling, infer::FieldSpec{});
    field(self.regimes,
          infer::FieldSpec{.name = "regimes",
                           .help = "prior, each particle draws its next regime; optimal, all "
                                   "regimes of all particles are weighed and the best kept"});
  }
};

// Compares the linear models of the regimes with the program along the filtered path, too.
void require_path(StateModel& states, const numerics::SwitchingModel& switching,
                  const infer::FilterResult& filtered) {
  std::vector<model::KalmanTime> path;
  for (const infer::FilteredTime& t : filtered.times)
    path.push_back({.log_increment = t.log_increment, .mean = t.mean, .sd = t.sd});
  model::require_along(states, switching, path);
}

struct RaoBlackwellised final : Method<Filter, RegimeOptions> {
  density::Capability can_follow(const StateModel& states) const override {
    return model::can_switch(states);
  }
  density::Capability can_forecast_outcomes(const StateModel&) const override {
    return {.can = false,
            .reason = "a filter of regimes forecasts states alone",
            .hint = "take --method bootstrap for the outcomes"};
  }
  void set(infer::FilterOptions& run) const override { own.resampling.set(run); }
  void settle(StateModel& states, const infer::FilterOptions&, bool same_parameters) override {
    numerics::SwitchingModel switching = model::switching_model(states);
    if (same_parameters) shared = std::move(switching);
  }
  infer::FilterAnswer run(StateModel& states, const infer::FilterOptions& options,
                          Index repeat) const override {
    const auto at = shared ? shared : std::optional(model::switching_model(states));
    infer::SwitchingResult found = infer::run_switching_filter(*at, options, own.regimes, repeat);
    require_path(states, *at, found.filtered);
    return {.filtered = std::move(found.filtered),
            .arrays = {{.group = "regimes",
                        .field = "probability",
                        .dimension = "regime",
                        .help = "probability of each regime, given the outcomes up to this time",
                        .values = std::move(found.regimes)}}};
  }
  std::optional<numerics::SwitchingModel> shared;  // if all runs are at the same parameters
};
}  // namespace

extern const FilterMethod rao_blackwellised_filter = row_of<RaoBlackwellised>(
    {.name = "rao-blackwellised",
     .summary = "a Kalman filter for each particle, of programs that switch between regimes",
     .reference = "chen2000"});

}  // namespace credo::filters
