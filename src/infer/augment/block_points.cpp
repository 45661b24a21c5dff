#include "infer/augment/block_points.hpp"

namespace credo::infer {

void BlockPoints::begin(std::span<const double> position, std::span<const Index> inner,
                        std::size_t count) {
  dimension_ = position.size();
  positions_.resize(count * dimension_);
  rows_.assign(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy(position.begin(), position.end(),
              positions_.begin() + static_cast<std::ptrdiff_t>(i * dimension_));
    for (const Index d : inner) value_of(i, d) = 0.0;
  }
}

void BlockPoints::evaluate(bool by_rows) {
  const std::size_t count = rows_.size();
  gradients_.assign(count * dimension_, 0.0);
  requests_.assign(count, {});
  batch_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    requests_[i].position = std::span(positions_).subspan(i * dimension_, dimension_);
    requests_[i].gradient = std::span(gradients_).subspan(i * dimension_, dimension_);
    if (by_rows) requests_[i].rows = std::span(rows_).subspan(i, 1);
    batch_.push_back(&requests_[i]);
  }
  evaluator_->evaluate(density::Want::gradient, batch_);
  num_evaluations_ += static_cast<Index>(count);
  for (density::Request& request : requests_)
    if (!request.status.ok()) {
      if (request.status.fatal)
        throw Error(ErrorCode::evaluation, density_->describe(request.status), "gibbs");
      request.log_density = -kInfinity;
      std::ranges::fill(request.gradient, 0.0);
    }
}

}  // namespace credo::infer
