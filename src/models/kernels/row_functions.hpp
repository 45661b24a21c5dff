// The functions of a row, made from its one expression
//
//   template <class X, class T> static auto value(const KernelOptions&, const X* x, const X* z, const T* theta);
#pragma once
#include "models/kernels/kernel_row.hpp"

namespace credo::models {

// Distance of two points. If all coordinates are equal, it is the signed difference, so that derivatives are those to one side: kernels that
// are smooth enough have them.
template <class X>
X squared_distance(Index dimension, const X* x, const X* z) {
  X sum = 0.0;
  for (Index d = 0; d < dimension; ++d) {
    const X off = x[d] - z[d];
    sum = sum + off * off;
  }
  return sum;
}
template <class X>
X distance(Index dimension, const X* x, const X* z) {
  using std::sqrt;
  if (dimension > 1) {
    const X square = squared_distance(dimension, x, z);
    if (value_of(square) > 0.0) return sqrt(square);
  }
  X sum = 0.0;
  for (Index d = 0; d < dimension; ++d) {
    const X off = x[d] - z[d];
    sum = value_of(off) < 0.0 ? sum - off : sum + off;
  }
  return sum;
}
template <class X>
X dot_product(Index dimension, const X* x, const X* z) {
  X sum = 0.0;
  for (Index d = 0; d < dimension; ++d) sum = sum + x[d] * z[d];
  return sum;
}

template <class Row>
void row_values(const KernelOptions& o, const double* theta, const double* x, const double* z,
                Index count, double* value) {
  for (Index j = 0; j < count; ++j)
    value[j] = value_of(Row::value(o, x, z + j * o.dimension, theta));
}

template <class Row, int N>
void row_slopes_of(const KernelOptions& o, const double* theta, const double* x, const double* z,
                   Index count, double* value, double* slope) {
  std::array<Dual<N>, N> t;
  for (int p = 0; p < N; ++p) t[static_cast<std::size_t>(p)] = Dual<N>::variable(theta[p], p);
  for (Index j = 0; j < count; ++j) {
    const Dual<N> k = Row::value(o, x, z + j * o.dimension, t.data());
    value[j] = k.v;
    for (Index p = 0; p < N; ++p) slope[p * count + j] = k.d[static_cast<std::size_t>(p)];
  }
}
// For Row::num_parameters(options) parameters, from Least to Most.
template <class Row, int Least, int Most>
void row_slopes(const KernelOptions& o, const double* theta, const double* x, const double* z,
                Index count, double* value, double* slope) {
  if constexpr (Most == 0) {
    row_values<Row>(o, theta, x, z, count, value);
  } else {
    if constexpr (Least < Most) {
      if (Row::num_parameters(o) != Most)
        return row_slopes<Row, Least, Most - 1>(o, theta, x, z, count, value, slope);
    }
    row_slopes_of<Row, Most>(o, theta, x, z, count, value, slope);
  }
}

template <class Row>
void row_by_input(const KernelOptions& o, const double* theta, const double* x, const double* z,
                  Index coordinate, std::array<double, 4>& out) {
  using Second = Dual<1, Dual<1>>;
  std::vector<Second> a, b;
  for (Index d = 0; d < o.dimension; ++d) {
    a.emplace_back(x[d]), b.emplace_back(z[d]);
    if (d != coordinate) continue;
    a.back().d[0] = 1.0;
    b.back().v.d[0] = 1.0;
  }
  const Second k = Row::value(o, a.data(), b.data(), theta);
  out = {k.v.v, k.d[0].v, k.v.d[0], k.d[0].d[0]};
}

// A row with the functions of its expression; Least to Most: numbers of parameters that it can have.
template <class Row, int Least, int Most = Least>
KernelRow with_functions(KernelRow row) {
  row.parameters = Row::parameters;
  row.values = row_values<Row>;
  row.slopes = row_slopes<Row, Least, Most>;
  row.by_input = row_by_input<Row>;
  return row;
}

template <class Form>
constexpr StateForm state_form() {
  return {.size = Form::size,
          .start = Form::template start<double>,
          .start_dual = Form::template start<StateDual>,
          .move = Form::template move<double>,
          .move_dual = Form::template move<StateDual>,
          .observe = Form::observe};
}

template <int K>
int smoothness_is(const KernelOptions&) {
  return K;
}

}  // namespace credo::models
