#include "density/two_statuses.hpp"

#include "base/error.hpp"

namespace credo::density {

void TwoEvaluators::evaluate(Want want, std::span<Request* const> batch) {
  CREDO_ASSERT(want == Want::value || want == Want::gradient,
               "two densities together have values and gradients");
  set_up(want, batch);
  asked_->evaluate(want, batch);
  beside_->evaluate(want, std::span(pointers_).first(batch.size()));
  for (std::size_t k = 0; k < batch.size(); ++k) join(requests_[k], *batch[k]);
}

// Grows with the largest batch only.
void TwoEvaluators::set_up(Want want, std::span<Request* const> batch) {
  if (requests_.size() < batch.size()) {
    requests_.resize(batch.size());
    gradients_.resize(batch.size() * dimension_);
    pointers_.clear();
    for (Request& request : requests_) pointers_.push_back(&request);
  }
  for (std::size_t k = 0; k < batch.size(); ++k) {
    requests_[k] = {.position = batch[k]->position, .gradient = {}, .status = {}};
    if (want == Want::gradient)
      requests_[k].gradient = std::span(gradients_).subspan(k * dimension_, dimension_);
  }
}

}  // namespace credo::density
