#include "density/sum_density.hpp"

#include "base/error.hpp"
#include "density/two_statuses.hpp"

namespace credo::density {
namespace {

class SumEvaluator final : public Evaluator {
 public:
  SumEvaluator(const LogDensity& first, const LogDensity& second)
      : first_(first.make_evaluator()),
        second_(second.make_evaluator()),
        dimension_(static_cast<std::size_t>(first.dimension())) {}

  void evaluate(Want want, std::span<Request* const> batch) override {
    CREDO_ASSERT(want == Want::value || want == Want::gradient, "a sum has values and gradients");
    set_up_seconds(want, batch);
    first_->evaluate(want, batch);
    second_->evaluate(want, std::span(asked_).first(batch.size()));
    for (std::size_t k = 0; k < batch.size(); ++k) add(seconds_[k], *batch[k]);
  }
  void use_threads(Index num_threads) override {
    first_->use_threads(num_threads);
    second_->use_threads(num_threads);
  }

 private:
  // Grows with the largest batch only.
  void set_up_seconds(Want want, std::span<Request* const> batch) {
    if (seconds_.size() < batch.size()) {
      seconds_.resize(batch.size());
      gradients_.resize(batch.size() * dimension_);
      asked_.clear();
      for (Request& request : seconds_) asked_.push_back(&request);
    }
    for (std::size_t k = 0; k < batch.size(); ++k) {
      seconds_[k] = {.position = batch[k]->position, .gradient = {}, .status = {}};
      if (want == Want::gradient)
        seconds_[k].gradient = std::span(gradients_).subspan(k * dimension_, dimension_);
    }
  }
  static void add(const Request& second, Request& request) {
    if (!request.status.ok()) {
      request.status = of_first(request.status);
      return;
    }
    if (!second.status.ok()) {
      request.status = of_second(second.status);
      request.log_density = -kInfinity;
      return;
    }
    request.log_density += second.log_density;
    request.dropped += second.dropped;
    for (std::size_t d = 0; d < request.gradient.size(); ++d)
      request.gradient[d] += second.gradient[d];
  }

  std::unique_ptr<Evaluator> first_, second_;
  std::size_t dimension_;
  std::vector<Request> seconds_;  // requests for the second one
  std::vector<Request*> asked_;
  std::vector<double> gradients_;
};
}  // namespace

SumDensity::SumDensity(const LogDensity& first, const LogDensity& second)
    : first_(first), second_(second) {
  CREDO_ASSERT(first.dimension() == second.dimension(), "summands have the same coordinates");
}

std::unique_ptr<Evaluator> SumDensity::make_evaluator() const {
  return std::make_unique<SumEvaluator>(first_, second_);
}

std::string SumDensity::describe(const Status& status) const {
  return describe_of_two(status, first_, second_);
}

}  // namespace credo::density
