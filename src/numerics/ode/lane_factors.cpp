#include "numerics/ode/lane_factors.hpp"

#include "numerics/ode/nordsieck.hpp"

namespace credo::numerics {

LaneFactors::LaneFactors(Index rows, Index max_lanes)
    : rows_(rows),
      factors_(rows * rows * kLaneGroup),
      matrix_(static_cast<std::size_t>(rows * rows)),
      column_(static_cast<std::size_t>(rows)),
      order_(static_cast<std::size_t>(rows * max_lanes)),
      permuted_(static_cast<std::size_t>(max_lanes)) {}

bool LaneFactors::factor(Index lane, double gamma, const double* jacobian) {
  for (Index column = 0; column < rows_; ++column) {
    for (Index row = 0; row < rows_; ++row) {
      const double identity = row == column && row < rows_ - algebraic_ ? 1.0 : 0.0;
      at(row, column) = identity - gamma * jacobian[(column * rows_ + row) * lanes_ + lane];
    }
  }
  Index* order = order_.data() + lane * rows_;
  std::iota(order, order + rows_, Index{0});
  permuted_[static_cast<std::size_t>(lane)] = 0;
  for (Index k = 0; k < rows_; ++k) {
    if (!eliminate(k, lane)) return false;
  }
  keep(lane);
  return true;
}

// Column k: the largest element becomes the pivot; its reciprocal stays on the diagonal.
bool LaneFactors::eliminate(Index k, Index lane) {
  Index pivot = k;
  for (Index row = k; row < rows_; ++row) {
    if (!std::isfinite(at(row, k))) return false;
    if (std::abs(at(row, k)) > std::abs(at(pivot, k))) pivot = row;
  }
  if (at(pivot, k) == 0.0) return false;
  if (pivot != k) {
    std::swap_ranges(&at(k, 0), &at(k, 0) + rows_, &at(pivot, 0));
    Index* order = order_.data() + lane * rows_;
    std::swap(order[k], order[pivot]);
    permuted_[static_cast<std::size_t>(lane)] = 1;
  }
  at(k, k) = 1.0 / at(k, k);
  for (Index row = k + 1; row < rows_; ++row) {
    const double factor = at(row, k) *= at(k, k);
    if (factor == 0.0) continue;
    for (Index column = k + 1; column < rows_; ++column) at(row, column) -= factor * at(k, column);
  }
  return std::isfinite(at(k, k));
}

void LaneFactors::keep(Index lane) {
  for (Index e = 0; e < rows_ * rows_; ++e) {
    for (Index j = lane; j < kLaneGroup; j += lanes_)
      factors_[e * kLaneGroup + j] = matrix_[static_cast<std::size_t>(e)];
  }
}

void LaneFactors::solve(double* b, Index columns) {
  for (Index lane = 0; lane < lanes_; ++lane) {
    if (permuted_[static_cast<std::size_t>(lane)] != 0) permute(b, columns, lane);
  }
  solve_factored({.factors = factors_.data(), .rows = rows_, .width = columns * lanes_, .b = b});
}

void LaneFactors::permute(double* b, Index columns, Index lane) {
  const Index width = columns * lanes_;
  const Index* order = order_.data() + lane * rows_;
  for (Index place = lane; place < width; place += lanes_) {
    for (Index row = 0; row < rows_; ++row)
      column_[static_cast<std::size_t>(row)] = b[order[row] * width + place];
    for (Index row = 0; row < rows_; ++row)
      b[row * width + place] = column_[static_cast<std::size_t>(row)];
  }
}

}  // namespace credo::numerics
