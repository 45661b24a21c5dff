#include "density/path_density.hpp"

#include "base/error.hpp"
#include "density/two_statuses.hpp"

namespace credo::density {
namespace {

class PathEvaluator final : public Evaluator {
 public:
  PathEvaluator(const LogDensity& from, const LogDensity& to)
      : from_(from.make_evaluator()),
        to_(to.make_evaluator()),
        dimension_(static_cast<std::size_t>(to.dimension())) {}

  void evaluate(Want want, std::span<Request* const> batch) override {
    CREDO_ASSERT(want == Want::value || want == Want::gradient, "a path has values and gradients");
    set_up(want, batch);
    from_->evaluate(want, std::span(asked_).first(batch.size()));
    to_->evaluate(want, batch);
    for (std::size_t k = 0; k < batch.size(); ++k) join(begins_[k], *batch[k]);
  }
  void use_threads(Index num_threads) override {
    from_->use_threads(num_threads);
    to_->use_threads(num_threads);
  }

 private:
  // Grows with the largest batch only.
  void set_up(Want want, std::span<Request* const> batch) {
    if (begins_.size() < batch.size()) {
      begins_.resize(batch.size());
      gradients_.resize(batch.size() * dimension_);
      asked_.clear();
      for (Request& request : begins_) asked_.push_back(&request);
    }
    for (std::size_t k = 0; k < batch.size(); ++k) {
      begins_[k] = {.position = batch[k]->position, .gradient = {}, .status = {}};
      if (want == Want::gradient)
        begins_[k].gradient = std::span(gradients_).subspan(k * dimension_, dimension_);
    }
  }

  // The answer of `to` becomes that of the path.
  static void join(const Request& from, Request& request) {
    if (!from.status.ok()) {
      request.status = of_first(from.status);
      request.log_density = request.log_ratio = -kInfinity;
      return;
    }
    const double w = request.weight;
    const bool is_refused = !request.status.ok();
    request.log_ratio = is_refused ? -kInfinity : request.log_density - from.log_density;
    if (is_refused && (w > 0.0 || request.status.fatal)) {
      request.status = of_second(request.status);
      return;
    }
    if (is_refused) {
      request.status = {};
      request.log_density = from.log_density;
      std::copy(from.gradient.begin(), from.gradient.end(), request.gradient.begin());
      return;
    }
    request.log_density = from.log_density + w * request.log_ratio;
    for (std::size_t d = 0; d < request.gradient.size(); ++d)
      request.gradient[d] = (1.0 - w) * from.gradient[d] + w * request.gradient[d];
  }

  std::unique_ptr<Evaluator> from_, to_;
  std::size_t dimension_;
  std::vector<Request> begins_;  // requests for `from`
  std::vector<Request*> asked_;
  std::vector<double> gradients_;
};
}  // namespace

PathDensity::PathDensity(const LogDensity& from, const LogDensity& to) : from_(from), to_(to) {
  CREDO_ASSERT(from.dimension() == to.dimension(), "both ends of a path have the same coordinates");
}

std::unique_ptr<Evaluator> PathDensity::make_evaluator() const {
  return std::make_unique<PathEvaluator>(from_, to_);
}

std::string PathDensity::describe(const Status& status) const {
  return describe_of_two(status, from_, to_);
}

}  // namespace credo::density
