// The shape of a node: `batch` stacked column-major matrices of rows x cols. A scalar is 1 x 1 x 1,
// a vector of N is 1 x N x 1, a row vector 1 x 1 x N, an array of B vectors B x N x 1. Elements are
// counted batch by batch, and within one matrix column by column.
#pragma once
#include "base/types.hpp"

namespace credo::graph {

struct Shape {
  std::int32_t batch = 1, rows = 1, cols = 1;

  Index size() const { return Index{batch} * rows * cols; }
  bool is_scalar() const { return batch == 1 && rows == 1 && cols == 1; }
  bool operator==(const Shape&) const = default;
};

inline Shape vector_shape(Index n) { return {1, static_cast<std::int32_t>(n), 1}; }
inline Shape row_vector_shape(Index n) { return {1, 1, static_cast<std::int32_t>(n)}; }
inline Shape matrix_shape(Index rows, Index cols) {
  return {1, static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols)};
}
std::string to_string(const Shape& shape);

}  // namespace credo::graph
