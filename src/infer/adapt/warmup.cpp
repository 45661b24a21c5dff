#include "infer/adapt/warmup.hpp"

namespace credo::infer {

GradientPath::GradientPath(Index memory, Index dimension)
    : n_(static_cast<std::size_t>(dimension)),
      memory_(static_cast<std::size_t>(memory)),
      position_(n_),
      gradient_(n_),
      s_(n_ * memory_),
      y_(n_ * memory_) {}

void GradientPath::add(const HmcState& state) {
  if (n_ == 0) return;
  if (has_point_ && std::equal(position_.begin(), position_.end(), state.position.begin())) return;
  const std::size_t first = num_moves_ % memory_ * n_;
  for (std::size_t d = 0; d < n_ && has_point_; ++d) {
    s_[first + d] = state.position[d] - position_[d];
    y_[first + d] = gradient_[d] - state.gradient[d];
  }
  num_moves_ += has_point_ ? 1 : 0;
  has_point_ = true;
  position_ = state.position;
  gradient_ = state.gradient;
}

void GradientPath::add_pairs_to(Metric& metric) const {
  const std::size_t oldest = num_moves_ > memory_ ? num_moves_ - memory_ : 0;
  for (std::size_t k = oldest; k < num_moves_; ++k) {
    const std::size_t first = k % memory_ * n_;
    metric.add_pair(std::span(s_).subspan(first, n_), std::span(y_).subspan(first, n_));
  }
}

WarmupAdaptation::WarmupAdaptation(const AdaptOptions& options, Index num_warmup, MetricKind kind,
                                   Index dimension)
    : averaging_(options.step_size),
      moments_(kind == MetricKind::lbfgs ? MetricKind::diagonal : kind, dimension),
      path_(options.lbfgs_memory, kind == MetricKind::lbfgs ? dimension : 0) {
  if (kind != MetricKind::unit) schedule_ = warmup_schedule(num_warmup, options.schedule);
}

bool WarmupAdaptation::learn(Index iteration, double accept_stat, const HmcState& state,
                             HmcSettings& settings) {
  settings.step_size = averaging_.learn(accept_stat);
  if (!in_window(iteration)) return false;
  moments_.add(state.position);
  path_.add(state);
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
  if (settings.metric.kind() == MetricKind::lbfgs) path_.add_pairs_to(settings.metric);
  path_.restart();
  if (usable) return;
  throw Error(ErrorCode::evaluation, "the warm-up draws have no finite positive covariance",
              "metric adaptation", "a parameter may run off to infinity; check its prior");
}

}  // namespace credo::infer
