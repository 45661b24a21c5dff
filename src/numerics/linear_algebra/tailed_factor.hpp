// The factor L D L' of a sparse symmetric positive definite matrix whose last columns of L are dense: these are factored as a dense
// matrix, which is many times faster. The leading columns are those of an up-looking factorisation [davis2006, ch. 4].
//
//   A = | A11  .  |   L11 D1 L11' = A11,   L21 = A21 L11'^-1 D1^-1,   S = A22 - L21 D1 L21' = C C'
//       | A21 A22 |
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// The upper triangle of a matrix by columns, which is the lower one by rows; rows of a column ascend.
struct UpperColumns {
  Index size = 0;
  const Index *starts = nullptr, *rows = nullptr;
};

struct DenseTail {
  Index first = 0;    // first column of the tail; `size`: it isn't worth it
  double cost = 0.0;  // of a factorisation, in operations on single elements
};
DenseTail find_dense_tail(const UpperColumns& pattern);

class TailedFactor {
 public:
  TailedFactor(const UpperColumns& pattern, Index first_of_tail);

  struct Failed {
    Index row = 0;
    double pivot = 0.0;
  };
  std::optional<Failed> refactor(std::span<const double> values);
  Index num_values() const;  // elements of L below its diagonal
  double log_determinant() const;

  // In place, in the order of the factor.
  void solve(std::span<double> b) const;
  void half_solve(std::span<double> b) const;
  void half_solve_transposed(std::span<double> b) const;
  // Working memory of one thread, which keeps its size.
  struct ProductMemory {
    std::vector<double> out, scratch;
  };
  struct InverseMemory {
    std::vector<double> factor, tail, diagonal, below;
    std::vector<Index> slot;  // the place of a row in a column
    std::array<ProductMemory, 2> products;
  };
  // Elements of the inverse at each place of the pattern.
  void inverse_on_pattern(std::span<double> into, InverseMemory& memory) const;

 private:
  struct Inverse;
  std::span<const std::int32_t> rows_of(Index col) const;
  std::span<const double> values_of(Index col) const;
  Index reach(Index k, std::span<const double> values);
  std::optional<Failed> eliminate_leading(std::span<const double> values);
  void subtract_leading();
  std::optional<Failed> factor_tail();
  void forward(std::span<double> b) const;
  void backward(std::span<double> b) const;

  Index size_, first_;                // columns; the first of the tail
  std::vector<Index> starts_, rows_;  // the pattern
  std::vector<Index> parent_;         // elimination tree
  std::vector<Index> begin_, count_;  // leading columns of L: places, and elements so far
  std::vector<Index> split_;          // elements of a column above the tail's rows
  std::vector<std::int32_t> l_rows_;
  std::vector<double> l_values_, pivots_;
  std::vector<double> schur_, tail_, scratch_;  // S, then C; column-major
  std::vector<double> work_;                    // row k of A, by column
  std::vector<Index> stack_, mark_;
};

}  // namespace credo::numerics
