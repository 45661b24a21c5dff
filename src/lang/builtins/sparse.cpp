// Sparse matrices by compressed rows: w the elements that aren't zero, row by row, v their columns
// and u where each row begins in them (and where the last one ends), all from 1.
#include <fmt/format.h>

#include "lang/builtins/matrix.hpp"

namespace credo::lang {
namespace {

struct Sparse {
  std::vector<std::int32_t> rows, cols;  // place of each element, from 0
};

// ---- from a matrix

// Elements that depend on parameters count by their value, as others do.
bool is_zero(const BuiltinCall& c, Index place) {
  const Scalar x = scalar_of(c[0], place);
  if (x.is_known()) return x.known == 0.0;
  return c.machine.decide(graph::equal(to_expr(x, c.machine.graph()), 0.0));
}

Sparse elements_of(const BuiltinCall& c) {
  Sparse sparse;
  for (Index i = 0; i < rows_of(c[0]); ++i) {
    for (Index j = 0; j < cols_of(c[0]); ++j) {
      if (is_zero(c, i + j * rows_of(c[0]))) continue;
      sparse.rows.push_back(narrow(i));
      sparse.cols.push_back(narrow(j));
    }
  }
  return sparse;
}

Value extract_w(const BuiltinCall& c, const Sparse& sparse) {
  std::vector<std::int32_t> places;
  for (std::size_t k = 0; k < sparse.rows.size(); ++k)
    places.push_back(narrow(sparse.rows[k] + sparse.cols[k] * rows_of(c[0])));
  const Index n = ssize(places);
  return from_expr(graph::gather(graph::vector_shape(n), c.expr(0), std::move(places)),
                   BaseType::vector, {n});
}
Value extract_v(const Sparse& sparse) {
  std::vector<std::int32_t> cols = sparse.cols;
  for (std::int32_t& j : cols) ++j;
  const Index n = ssize(cols);
  return make_ints({n}, std::move(cols));
}
Value extract_u(const BuiltinCall& c, const Sparse& sparse) {
  std::vector<std::int32_t> begins(static_cast<std::size_t>(rows_of(c[0]) + 1), 1);
  for (const std::int32_t i : sparse.rows) ++begins[static_cast<std::size_t>(i + 1)];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1] - 1;
  const Index n = ssize(begins);
  return make_ints({n}, std::move(begins));
}

Value csr_extract(const BuiltinCall& c) {
  const Sparse sparse = elements_of(c);
  auto parts = std::make_shared<TupleValue>();
  parts->elements = {extract_w(c, sparse), extract_v(sparse), extract_u(c, sparse)};
  return parts;
}
Value csr_extract_w(const BuiltinCall& c) { return extract_w(c, elements_of(c)); }
Value csr_extract_v(const BuiltinCall& c) { return extract_v(elements_of(c)); }
Value csr_extract_u(const BuiltinCall& c) { return extract_u(c, elements_of(c)); }

// ---- from w, v and u (arguments 2, 3 and 4 after the sizes)

struct Sizes {
  Index rows, cols;
};

Sparse checked(const BuiltinCall& c, const Sizes& size) {
  const auto &v = c[3].ints()->values, &u = c[4].ints()->values;
  const auto fail = [&](const std::string& what) {
    c.machine.fail(fmt::format("{}: {}", c.name, what));
  };
  if (size_of(c[2]) != ssize(v))
    fail(fmt::format("there are {} elements and {} columns of them", size_of(c[2]), v.size()));
  if (ssize(u) != size.rows + 1)
    fail(fmt::format("there are {} begins of rows, but there must be {}", u.size(), size.rows + 1));
  if (u.front() != 1 || u.back() != ssize(v) + 1 || !std::is_sorted(u.begin(), u.end()))
    fail(fmt::format("the rows begin at {} ... {}, but must rise from 1 to {}", u.front(), u.back(),
                     v.size() + 1));
  Sparse sparse;
  for (std::size_t i = 0; i + 1 < u.size(); ++i)
    sparse.rows.insert(sparse.rows.end(), static_cast<std::size_t>(u[i + 1] - u[i]),
                       static_cast<std::int32_t>(i));
  for (const std::int32_t j : v) {
    if (j < 1 || j > size.cols) fail(fmt::format("column {} isn't between 1 and {}", j, size.cols));
    sparse.cols.push_back(j - 1);
  }
  return sparse;
}

Sizes sizes_of(const BuiltinCall& c) {
  const Sizes size{c[0].integer(), c[1].integer()};
  if (size.rows < 0 || size.cols < 0)
    c.machine.fail(
        fmt::format("{}: sizes {} and {} must not be negative", c.name, size.rows, size.cols));
  return size;
}

Value csr_matrix_times_vector(const BuiltinCall& c) {
  const Sizes size = sizes_of(c);
  Sparse sparse = checked(c, size);
  if (size_of(c[5]) != size.cols)
    c.machine.fail(fmt::format("{}: a vector of {} elements for {} columns", c.name, size_of(c[5]),
                               size.cols));
  const graph::Shape shape = graph::vector_shape(size_of(c[2]));
  const Expr products = c.expr(2) * graph::gather(shape, c.expr(5), std::move(sparse.cols));
  return from_expr(
      graph::scatter_add(graph::vector_shape(size.rows), products, std::move(sparse.rows)),
      BaseType::vector, {size.rows});
}

Value csr_to_dense_matrix(const BuiltinCall& c) {
  const Sizes size = sizes_of(c);
  const Sparse sparse = checked(c, size);
  std::vector<std::int32_t> places;
  for (std::size_t k = 0; k < sparse.rows.size(); ++k)
    places.push_back(narrow(sparse.rows[k] + sparse.cols[k] * size.rows));
  return matrix(
      graph::scatter_add(graph::matrix_shape(size.rows, size.cols), c.expr(2), std::move(places)),
      size.rows, size.cols);
}

constexpr Builtin kSparseRows[] = {
    {"csr_extract", csr_extract},
    {"csr_extract_u", csr_extract_u},
    {"csr_extract_v", csr_extract_v},
    {"csr_extract_w", csr_extract_w},
    {"csr_matrix_times_vector", csr_matrix_times_vector},
    {"csr_to_dense_matrix", csr_to_dense_matrix},
};
}  // namespace

std::span<const Builtin> builtins_sparse() { return kSparseRows; }

}  // namespace credo::lang
