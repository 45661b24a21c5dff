#include "infer/population.hpp"

namespace credo::infer {

Candidates::Candidates(Index count, Index dimension)
    : dimension_(static_cast<std::size_t>(dimension)),
      positions_(static_cast<std::size_t>(count) * dimension_),
      requests_(static_cast<std::size_t>(count)) {
  for (Index i = 0; i < count; ++i) {
    density::Request& request = requests_[static_cast<std::size_t>(i)];
    request.position = position(i);
    batch_.push_back(&request);
  }
}

Evaluate Candidates::evaluate(Index first, Index count) {
  const auto batch =
      std::span(batch_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  for (density::Request* request : batch) request->status = {};
  return evaluate_all(density::Want::value, batch);
}

}  // namespace credo::infer
