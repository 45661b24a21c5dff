#include "infer/adapt/warmup.hpp"

namespace credo::infer {

WarmupAdaptation::WarmupAdaptation(const AdaptOptions& options, Index num_warmup, MetricKind kind,
                                   Index dimension)
    : averaging_(options.step_size), moments_(kind, dimension) {
  if (kind != MetricKind::unit) schedule_ = warmup_schedule(num_warmup, options.schedule);
}

bool WarmupAdaptation::learn(Index iteration, double accept_stat, const HmcState& state,
                             HmcSettings& settings) {
  settings.step_size = averaging_.learn(accept_stat);
  if (!in_window(iteration)) return false;
  moments_.add(state.position);
  if (iteration + 1 != schedule_.window_ends[window_]) return false;
  ++window_;
  update_metric(settings);
  return true;
}

void WarmupAdaptation::finish(HmcSettings& settings) const {
  settings.step_size = averaging_.averaged_step_size();
}

bool WarmupAdaptation::in_window(Index iteration) const {
  return iteration >= schedule_.metric_begin && window_ < schedule_.window_ends.size();
}

void WarmupAdaptation::update_metric(HmcSettings& settings) {
  const bool usable = moments_.count() >= 2 && settings.metric.set_inverse(moments_.regularised());
  moments_.restart();
  if (usable) return;
  throw Error(ErrorCode::evaluation, "the warm-up draws have no finite positive covariance",
              "metric adaptation", "a parameter may run off to infinity; check its prior");
}

}  // namespace credo::infer
