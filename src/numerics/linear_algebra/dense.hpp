// Products, Cholesky factors and triangular solves of small dense matrices, for several lanes at
// once.
//
// Values lie as [element][lane]; matrices are column-major unless strides say otherwise. Every
// element of a result is one chain of fused multiply-adds over the inner index in a stated order,
// so blocking, packing, SIMD target and the number of lanes change no bit (docs/determinism.md).
// Small matrices run over the lanes as they lie; larger ones are unpacked, one lane at a time, to
// panels of rows in `scratch`. Nothing here allocates: `..._scratch` says how many doubles a lane
// the caller provides. Operands are read up to one SIMD vector past their end.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

// A matrix to read: element (i, j) of lane l is data[(i * row + j * col) * lanes + l], or
// data[i * row + j * col] if all lanes share it.
struct LaneOperand {
  const double* data = nullptr;
  Index row = 1, col = 0;
  bool shared = false;
  LaneOperand transposed() const { return {data, col, row, shared}; }
};

struct ProductSizes {
  Index rows = 0, inner = 0, cols = 0;
};

// out (rows x cols) = A B, over the inner index in order, from 0.
void multiply(Index lanes, const ProductSizes& sizes, const LaneOperand& a, const LaneOperand& b,
              double* out, double* scratch);
Index multiply_scratch(const ProductSizes& sizes);

// out = A x for a column-major A (rows x cols): over the columns in order, from 0.
void multiply_vector(Index lanes, Index rows, Index cols, const LaneOperand& a,
                     const LaneOperand& x, double* out);

// out = A' x for a column-major A (rows x cols): each a dot product in the order of graph::dot.
void multiply_vector_transposed(Index lanes, Index rows, Index cols, const LaneOperand& a,
                                const LaneOperand& x, double* out);

// A column-major matrix in panels of eight rows: element (i, j) at (i / 8 * cols + j) * 8 + i % 8,
// the last panel filled up with zeros. A matrix that doesn't fit the cache then comes from memory
// in one stream, not in one a column. `out` has panels_size doubles.
void pack_panels(Index rows, Index cols, const double* a, double* out);
Index panels_size(Index rows, Index cols);

// The same bit for bit, some rows of A at a time (first, ..., first + count - 1 of `rows`), in
// order.
struct RowRange {
  Index rows = 0, first = 0, count = 0;
  bool panels = false;  // A, the same for all lanes, as pack_panels leaves it; first is 8 n
};
// out: these rows of the result.
void multiply_vector_rows(Index lanes, const RowRange& range, Index cols, const LaneOperand& a,
                          const LaneOperand& x, double* out);

// x: these rows only. A range ends at the last row or at a multiple of 8, and lies within one block
// of 1024 rows. `partials` has 8 * cols doubles a lane; `out` is set with the last row of a block,
// to what the block adds to A' x. The blocks' parts are to be added in order, from 0.
struct GrowingSums {
  double* partials = nullptr;
  double* out = nullptr;
};
void multiply_vector_transposed_rows(Index lanes, const RowRange& range, Index cols,
                                     const LaneOperand& a, const LaneOperand& x,
                                     const GrowingSums& sums);

// Lower Cholesky factor of the lower triangle of A, zeros above: element (i, j) is a(i, j) less
// l(i, p) l(j, p) for p = 0, 1, ..., then times the reciprocal of the pivot. NaN from the first
// pivot on that isn't positive.
void cholesky(Index lanes, Index n, const LaneOperand& a, double* out, double* scratch);
Index cholesky_scratch(Index n);

// The adjoint of A's lower triangle for the adjoint G of the factor L: with S symmetric such that
// the lower triangles of S L and G are equal, S below the diagonal and S/2 on it [murray2016,
// eq. 8, solved column by column from the last]. s(i, j) is g(i, j) less s(i, k) l(k, j) for k =
// n-1, ..., j+1, times the reciprocal of l(j, j).
void cholesky_adjoint(Index lanes, Index n, const LaneOperand& l, const LaneOperand& grad,
                      double* out, double* scratch);
Index cholesky_adjoint_scratch(Index n);

// X = L^-1 B or L^-T B for lower triangular L (n x n; its upper triangle isn't read) and B of
// `cols` columns, in index order (backwards for the transpose), with reciprocal pivots.
struct SolveSizes {
  Index n = 0, cols = 0;
  bool transposed = false;
};
void solve_lower(Index lanes, const SolveSizes& sizes, const LaneOperand& l, const LaneOperand& b,
                 double* out, double* scratch);
Index solve_lower_scratch(Index n, Index cols);

// out = the lower triangle of -A B' (A and B column-major, n x inner), zeros above.
void lower_outer(Index lanes, Index n, Index inner, const LaneOperand& a, const LaneOperand& b,
                 double* out);

}  // namespace credo::numerics
