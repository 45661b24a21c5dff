#include "infer/population.hpp"

namespace credo::infer {

Candidates::Candidates(Index count, Index dimension)
    : positions_(static_cast<std::size_t>(count * dimension)),
      requests_(static_cast<std::size_t>(count)) {
  for (Index i = 0; i < count; ++i) {
    const auto n = static_cast<std::size_t>(dimension);
    density::Request& request = requests_[static_cast<std::size_t>(i)];
    request.position = std::span(positions_).subspan(static_cast<std::size_t>(i) * n, n);
    batch_.push_back(&request);
  }
}

std::span<double> Candidates::position(Index i) {
  const std::size_t n = positions_.size() / requests_.size();
  return std::span(positions_).subspan(static_cast<std::size_t>(i) * n, n);
}

Evaluate Candidates::evaluate(Index first, Index count) {
  const auto batch =
      std::span(batch_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  for (density::Request* request : batch) request->status = {};
  return evaluate_all(density::Want::value, batch);
}

}  // namespace credo::infer
