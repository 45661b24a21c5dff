#include "infer/maps/transported_density.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::infer {
namespace {
// Beside the numbers of the density's own refusals.
constexpr std::int32_t kNotFiniteThere = std::numeric_limits<std::int32_t>::min();

class TransportedEvaluator final : public density::Evaluator {
 public:
  TransportedEvaluator(const density::LogDensity& of, const GraphTransport& map)
      : evaluator_(of.make_evaluator()),
        map_(map),
        dimension_(static_cast<std::size_t>(of.dimension())) {}

  void evaluate(density::Want want, std::span<density::Request* const> batch) override {
    CREDO_ASSERT(want == density::Want::value || want == density::Want::gradient,
                 "a transported density has values and gradients");
    set_up(batch);
    for (std::size_t s = 0; s < batch.size(); ++s) {
      const std::span<double> x = part(points_, s);
      map_.place(batch[s]->position, x, std::span(log_jacobians_).subspan(s, 1));
      requests_[s] = {.position = x, .gradient = {}, .status = {}};
      if (want == density::Want::gradient) requests_[s].gradient = part(gradients_, s);
    }
    evaluator_->evaluate(want, pointers_);
    for (std::size_t s = 0; s < batch.size(); ++s) answer(*batch[s], requests_[s], s);
  }
  void use_threads(Index num_threads) override { evaluator_->use_threads(num_threads); }

 private:
  std::span<double> part(std::vector<double>& all, std::size_t s) const {
    return std::span(all).subspan(s * dimension_, dimension_);
  }
  void set_up(std::span<density::Request* const> batch) {
    points_.resize(batch.size() * dimension_);
    gradients_.resize(points_.size());
    log_jacobians_.resize(batch.size());
    requests_.resize(batch.size());
    pointers_.clear();
    for (density::Request& request : requests_) pointers_.push_back(&request);
  }
  void answer(density::Request& request, const density::Request& inner, std::size_t s) {
    request.status = inner.status;
    request.log_density = inner.log_density + log_jacobians_[s];
    request.dropped = inner.dropped;
    if (request.status.ok() && !std::isfinite(request.log_density))
      request.status = {.source = kNotFiniteThere, .value = log_jacobians_[s]};
    if (!request.status.ok()) {
      request.log_density = -kInfinity;
      return;
    }
    if (!inner.gradient.empty()) map_.pull_back(request.position, inner.gradient, request.gradient);
  }

  std::unique_ptr<density::Evaluator> evaluator_;
  GraphTransport map_;
  std::size_t dimension_;
  std::vector<double> points_, gradients_, log_jacobians_;
  std::vector<density::Request> requests_;
  std::vector<density::Request*> pointers_;
};
}  // namespace

std::unique_ptr<density::Evaluator> TransportedDensity::make_evaluator() const {
  return std::make_unique<TransportedEvaluator>(of_, map_);
}

std::string TransportedDensity::describe(const density::Status& status) const {
  if (status.source != kNotFiniteThere) return of_.describe(status);
  return fmt::format(
      "the map takes the point so far out that the log of its volume is {}, which isn't finite",
      status.value);
}

}  // namespace credo::infer
