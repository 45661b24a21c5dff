#include "infer/adapt/hmc_adaptation.hpp"

namespace credo::infer {

HmcAdaptation::HmcAdaptation(const AdaptOptions& options, Index num_warmup, const Metric& metric)
    : warmup_(options, num_warmup, metric.kind(), metric.dimension()),
      scratch_(2, metric.dimension()) {}

Step<Nothing> HmcAdaptation::search_for(HmcSettings& settings, const HmcState& state, Rng rng) {
  co_await search_step_size(settings, state, scratch_, rng);
  warmup_.restart_step_size(settings);
  co_return Nothing{};
}

void report_settings(const HmcSettings& settings, ChainResult& result) {
  result.step_size = settings.step_size;
  const MetricKind kind = settings.metric.kind();
  result.metric = kind == MetricKind::lbfgs ? MetricKind::dense : kind;
  result.inv_metric = settings.metric.whole_inverse();
}

}  // namespace credo::infer
