// Sizes, filling, joining, slices and conversions of containers. They move elements and compute
// nothing.
#include <fmt/format.h>

#include "lang/builtins/matrix.hpp"
#include "lang/builtins/rows.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::lang {

Value apply_row(const graph::Op& row, const BuiltinCall& c) {
  if (row.arity == 1) return like(graph::apply(row, {c.expr(0)}), c[0]);
  check_sizes_fit(c);
  return like(graph::apply(row, {c.expr(0), c.expr(1)}), c[0].is_scalar() ? c[1] : c[0]);
}

Index size_argument(const BuiltinCall& c, std::size_t k) {
  const Index n = c[k].integer();
  if (n < 0) c.machine.fail(fmt::format("{}: size is {}, but must not be negative", c.name, n));
  return n;
}

const Dims& roomy(const BuiltinCall& c, const Dims& sizes) {
  constexpr Index kMost = TraceLimits{}.max_elements;
  if (sizes.total() > kMost)
    c.machine.fail(fmt::format("{}: the result has sizes {}; more than {} elements are too many",
                               c.name, to_string(sizes), kMost));
  return sizes;
}

namespace {

void check_index(const BuiltinCall& c, Index i, Index size) {
  if (i < 1 || i > size)
    c.machine.fail(fmt::format("{}: index {} is out of range, the size is {}", c.name, i, size));
}

// ---- sizes

Value num_elements(const BuiltinCall& c) { return narrow(size_of(c[0])); }
Value size(const BuiltinCall& c) {
  if (c[0].is_scalar()) return 1;
  const bool is_matrix = base_of(c[0]) == BaseType::matrix && dims_of(c[0]).count == 2;
  return narrow(is_matrix ? size_of(c[0]) : dims_of(c[0])[0]);
}
Value rows(const BuiltinCall& c) { return narrow(shape_of(base_of(c[0]), dims_of(c[0])).rows); }
Value cols(const BuiltinCall& c) { return narrow(shape_of(base_of(c[0]), dims_of(c[0])).cols); }
Value dims(const BuiltinCall& c) {
  const Dims sizes = dims_of(c[0]);
  std::vector<std::int32_t> values(sizes.size.begin(), sizes.size.begin() + sizes.count);
  return make_ints({sizes.count}, std::move(values));
}

// ---- filling

Value filled(const BuiltinCall& c, BaseType base, const Dims& sizes) {
  roomy(c, sizes);
  return from_expr(graph::broadcast(shape_of(base, sizes), c.expr(0)), base, sizes);
}
Value rep_vector(const BuiltinCall& c) {
  return filled(c, BaseType::vector, {size_argument(c, 1)});
}
Value rep_row_vector(const BuiltinCall& c) {
  return filled(c, BaseType::row_vector, {size_argument(c, 1)});
}
Value rep_matrix(const BuiltinCall& c) {
  if (c.size() == 3) return filled(c, BaseType::matrix, {size_argument(c, 1), size_argument(c, 2)});
  const Index repeats = size_argument(c, 1), n = size_of(c[0]);
  const bool is_column = base_of(c[0]) == BaseType::vector;
  const Dims sizes = roomy(c, is_column ? Dims{n, repeats} : Dims{repeats, n});
  std::vector<std::int32_t> index;
  for (Index j = 0; j < sizes[1]; ++j) {
    for (Index i = 0; i < sizes[0]; ++i) index.push_back(narrow(is_column ? i : j));
  }
  const graph::Shape shape = shape_of(BaseType::matrix, sizes);
  return from_expr(graph::gather(shape, c.expr(0), std::move(index)), BaseType::matrix, sizes);
}
Value rep_array(const BuiltinCall& c) {
  Dims sizes;
  for (std::size_t k = 1; k < c.size(); ++k) sizes.push(size_argument(c, k));
  const Index copies = sizes.total(), n = size_of(c[0]);
  const Dims inner = dims_of(c[0]);
  if (sizes.count + inner.count > Dims::kMax)
    c.machine.fail(fmt::format("rep_array: the result has more than {} dimensions", Dims::kMax));
  for (int d = 0; d < inner.count; ++d) sizes.push(inner[d]);
  roomy(c, sizes);
  if (c[0].is_tuple()) c.machine.fail("rep_array: arrays of tuples are not implemented yet");
  if (c[0].is_int() || c[0].is_ints()) {
    std::vector<std::int32_t> values;
    for (Index k = 0; k < copies * n; ++k) {
      values.push_back(c[0].is_int() ? c[0].integer()
                                     : c[0].ints()->values[static_cast<std::size_t>(k % n)]);
    }
    return make_ints(sizes, std::move(values));
  }
  std::vector<Scalar> elements;
  elements.reserve(static_cast<std::size_t>(copies * n));
  for (Index k = 0; k < copies * n; ++k) elements.push_back(scalar_of(c[0], k % n));
  return make_reals(base_of(c[0]), sizes, std::move(elements));
}

Value constant_container(const BuiltinCall& c, BaseType base, const Dims& sizes, double value) {
  roomy(c, sizes);
  return from_expr(graph::fill(shape_of(base, sizes), value), base, sizes);
}
Value zeros_vector(const BuiltinCall& c) {
  return constant_container(c, BaseType::vector, {size_argument(c, 0)}, 0.0);
}
Value ones_vector(const BuiltinCall& c) {
  return constant_container(c, BaseType::vector, {size_argument(c, 0)}, 1.0);
}
Value zeros_row_vector(const BuiltinCall& c) {
  return constant_container(c, BaseType::row_vector, {size_argument(c, 0)}, 0.0);
}
Value ones_row_vector(const BuiltinCall& c) {
  return constant_container(c, BaseType::row_vector, {size_argument(c, 0)}, 1.0);
}
Value zeros_array(const BuiltinCall& c) {
  return constant_container(c, BaseType::real, {size_argument(c, 0)}, 0.0);
}
Value ones_array(const BuiltinCall& c) {
  return constant_container(c, BaseType::real, {size_argument(c, 0)}, 1.0);
}

Value filled_ints(const BuiltinCall& c, std::int32_t value) {
  const Index n = roomy(c, {size_argument(c, 0)})[0];
  return make_ints({n}, std::vector<std::int32_t>(static_cast<std::size_t>(n), value));
}
Value zeros_int_array(const BuiltinCall& c) { return filled_ints(c, 0); }
Value ones_int_array(const BuiltinCall& c) { return filled_ints(c, 1); }
Value uniform_simplex(const BuiltinCall& c) {
  const Index n = size_argument(c, 0);
  if (n == 0) c.machine.fail("uniform_simplex: size is 0, but must be positive");
  return constant_container(c, BaseType::vector, {n}, 1.0 / static_cast<double>(n));
}

// 1 at one place, 0 elsewhere.
std::vector<std::int32_t> one_hot(const BuiltinCall& c) {
  const Index n = roomy(c, {size_argument(c, 0)})[0], place = c[1].integer();
  check_index(c, place, n);
  std::vector<std::int32_t> values(static_cast<std::size_t>(n), 0);
  values[static_cast<std::size_t>(place - 1)] = 1;
  return values;
}
template <BaseType base>
Value one_hot_reals(const BuiltinCall& c) {
  const std::vector<std::int32_t> values = one_hot(c);
  return make_reals(base, {ssize(values)}, {values.begin(), values.end()});
}
Value one_hot_int_array(const BuiltinCall& c) {
  std::vector<std::int32_t> values = one_hot(c);
  const Index n = ssize(values);
  return make_ints({n}, std::move(values));
}

// From low in equal steps to high, or just below it. If there are more elements
// than ints in between, each int is repeated equally often. A single element is high.
std::vector<std::int32_t> linspaced_ints(std::int64_t n, std::int64_t low, std::int64_t high) {
  const std::int64_t distance = high - low;
  const std::int64_t step = n > 1 ? distance / (n - 1) : 0;
  const std::int64_t repeats = n > distance + 1 ? (n + distance) / (distance + 1) : 1;
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t above = repeats > 1 ? i / repeats : i * step;
    values.push_back(narrow(n == 1 ? high : low + above));
  }
  return values;
}

Value linspaced_int_array(const BuiltinCall& c) {
  const Index n = roomy(c, {size_argument(c, 0)})[0];
  const std::int64_t low = c[1].integer(), high = c[2].integer();
  if (high < low)
    c.machine.reject(c.name, "upper bound", static_cast<double>(high), "at least the lower bound");
  return make_ints({n}, linspaced_ints(n, low, high));
}

// Its ends are data, which in generated quantities may depend on parameters.
Value linspaced(const BuiltinCall& c, BaseType base) {
  const Index n = roomy(c, {size_argument(c, 0)})[0];
  const Expr low = c.expr(1), high = c.expr(2);
  c.machine.checks().greater_equal(high, low, {c.name, "upper bound", "at least the lower bound"});
  if (n < 2) return from_expr(graph::fill(graph::vector_shape(n), 1.0) * high, base, {n});
  std::vector<double> places(static_cast<std::size_t>(n - 1));
  std::iota(places.begin(), places.end(), 0.0);
  const std::array parts{low + graph::constant(graph::vector_shape(n - 1), places) *
                                   ((high - low) / static_cast<double>(n - 1)),
                         high};
  return from_expr(graph::concat(shape_of(base, {n}), parts), base, {n});
}
Value linspaced_vector(const BuiltinCall& c) { return linspaced(c, BaseType::vector); }
Value linspaced_row_vector(const BuiltinCall& c) { return linspaced(c, BaseType::row_vector); }
Value linspaced_array(const BuiltinCall& c) { return linspaced(c, BaseType::real); }

// ---- joining

Value join(const BuiltinCall& c, BaseType base, const Dims& sizes) {
  const std::array parts{c.expr(0), c.expr(1)};
  return from_expr(graph::concat(shape_of(base, sizes), parts), base, sizes);
}

// Rows of a over rows of b: columns interleave, so elements are listed.
Value stacked(const BuiltinCall& c) {
  const graph::Shape a = shape_of(base_of(c[0]), dims_of(c[0])),
                     b = shape_of(base_of(c[1]), dims_of(c[1]));
  if (a.cols != b.cols)
    c.machine.fail(fmt::format("append_row: {} columns over {}", a.cols, b.cols));
  std::vector<Scalar> elements;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.rows; ++i) elements.push_back(scalar_of(c[0], i + j * a.rows));
    for (Index i = 0; i < b.rows; ++i) elements.push_back(scalar_of(c[1], i + j * b.rows));
  }
  return make_reals(BaseType::matrix, {Index{a.rows} + b.rows, a.cols}, std::move(elements));
}
bool is_column(const Value& v) { return v.is_scalar() || base_of(v) == BaseType::vector; }
bool is_row(const Value& v) { return v.is_scalar() || base_of(v) == BaseType::row_vector; }

Value append_row(const BuiltinCall& c) {
  if (is_column(c[0]) && is_column(c[1]))
    return join(c, BaseType::vector, {size_of(c[0]) + size_of(c[1])});
  return stacked(c);
}
Value append_col(const BuiltinCall& c) {
  if (is_row(c[0]) && is_row(c[1]))
    return join(c, BaseType::row_vector, {size_of(c[0]) + size_of(c[1])});
  const graph::Shape a = shape_of(base_of(c[0]), dims_of(c[0])),
                     b = shape_of(base_of(c[1]), dims_of(c[1]));
  if (a.rows != b.rows)
    c.machine.fail(fmt::format("append_col: {} rows beside {}", a.rows, b.rows));
  return join(c, BaseType::matrix, {a.rows, Index{a.cols} + b.cols});
}
Value append_array(const BuiltinCall& c) {
  Dims sizes = dims_of(c[0]);
  const Dims other = dims_of(c[1]);
  for (int d = 1; d < sizes.count; ++d) {
    if (sizes[d] != other[d] && sizes.total() > 0 && other.total() > 0) {
      c.machine.fail(fmt::format("append_array: sizes {} and {} don't fit", to_string(sizes),
                                 to_string(other)));
    }
  }
  if (sizes[0] == 0) return c[1];
  sizes.size[0] += other.size[0];
  if (!c[0].is_ints()) return join(c, base_of(c[0]), sizes);
  std::vector<std::int32_t> values = c[0].ints()->values;
  values.insert(values.end(), c[1].ints()->values.begin(), c[1].ints()->values.end());
  return make_ints(sizes, std::move(values));
}

// ---- slices

Selection places(Index begin, Index count) {
  Selection selection;
  selection.places.resize(static_cast<std::size_t>(count));
  std::iota(selection.places.begin(), selection.places.end(), narrow(begin));
  return selection;
}
Selection single(Index place) { return {true, {narrow(place)}}; }

Value slice_first(const BuiltinCall& c, Index begin, Index count) {
  const Dims sizes = dims_of(c[0]);
  if (count > 0) {
    check_index(c, begin + 1, sizes[0]);
    check_index(c, begin + count, sizes[0]);
  }
  std::vector<Selection> selections{places(begin, count)};
  for (int d = 1; d < sizes.count; ++d) selections.push_back(places(0, sizes[d]));
  return read(c[0], select(base_of(c[0]), sizes, selections), c.machine.graph());
}
Value head(const BuiltinCall& c) { return slice_first(c, 0, size_argument(c, 1)); }
Value tail(const BuiltinCall& c) {
  const Index count = size_argument(c, 1);
  return slice_first(c, dims_of(c[0])[0] - count, count);
}
Value segment(const BuiltinCall& c) {
  return slice_first(c, c[1].integer() - 1, size_argument(c, 2));
}
Value reverse(const BuiltinCall& c) {
  const Dims sizes = dims_of(c[0]);
  std::vector<Selection> selections{places(0, sizes[0])};
  std::reverse(selections[0].places.begin(), selections[0].places.end());
  for (int d = 1; d < sizes.count; ++d) selections.push_back(places(0, sizes[d]));
  return read(c[0], select(base_of(c[0]), sizes, selections), c.machine.graph());
}

// Argument k says where, argument k + n how many; along dimension d of the matrix.
Selection places_along(const BuiltinCall& c, int d, std::size_t k, std::size_t n) {
  const Index first = c[k].integer(), count = size_argument(c, k + n), size = dims_of(c[0])[d];
  if (count > 0) {
    check_index(c, first, size);
    check_index(c, first + count - 1, size);
  }
  return places(first - 1, count);
}
Selection single_along(const BuiltinCall& c, int d, std::size_t k) {
  check_index(c, c[k].integer(), dims_of(c[0])[d]);
  return single(c[k].integer() - 1);
}

Value matrix_part(const BuiltinCall& c, const Selection& row_part, const Selection& col_part) {
  const Dims sizes = dims_of(c[0]);
  return read(c[0], select(BaseType::matrix, sizes, std::array{row_part, col_part}),
              c.machine.graph());
}
Value row(const BuiltinCall& c) {
  return matrix_part(c, single_along(c, 0, 1), places(0, dims_of(c[0])[1]));
}
Value col(const BuiltinCall& c) {
  return matrix_part(c, places(0, dims_of(c[0])[0]), single_along(c, 1, 1));
}
Value block(const BuiltinCall& c) {
  return matrix_part(c, places_along(c, 0, 1, 2), places_along(c, 1, 2, 2));
}
Value sub_col(const BuiltinCall& c) {
  return matrix_part(c, places_along(c, 0, 1, 2), single_along(c, 1, 2));
}
Value sub_row(const BuiltinCall& c) {
  return matrix_part(c, single_along(c, 0, 1), places_along(c, 1, 2, 1));
}

// ---- conversions

// Elements in the order of the result's storage; the same order unless a matrix is read by rows.
Value recast(const BuiltinCall& c, BaseType base, const Dims& sizes) {
  const Expr x = c.expr(0);
  return from_expr(x.is_scalar() ? graph::broadcast(shape_of(base, sizes), x)
                                 : x.reshaped(shape_of(base, sizes)),
                   base, sizes);
}
Value to_vector(const BuiltinCall& c) { return recast(c, BaseType::vector, {size_of(c[0])}); }
Value to_row_vector(const BuiltinCall& c) {
  return recast(c, BaseType::row_vector, {size_of(c[0])});
}
Value to_array_1d(const BuiltinCall& c) {
  if (c[0].is_ints()) return make_ints({size_of(c[0])}, c[0].ints()->values);
  return recast(c, BaseType::real, {size_of(c[0])});
}

Value by_rows(const BuiltinCall& c, BaseType base, Index row_count, Index col_count) {
  std::vector<Scalar> elements(static_cast<std::size_t>(row_count * col_count));
  for (Index i = 0; i < row_count; ++i) {
    for (Index j = 0; j < col_count; ++j) {
      // matrices lie by columns, arrays by rows
      const Index from = base == BaseType::real ? i + j * row_count : i * col_count + j;
      const Index to = base == BaseType::real ? i * col_count + j : i + j * row_count;
      elements[static_cast<std::size_t>(to)] = scalar_of(c[0], from);
    }
  }
  return make_reals(base, {row_count, col_count}, std::move(elements));
}
Value to_array_2d(const BuiltinCall& c) {
  const Dims sizes = dims_of(c[0]);
  return by_rows(c, BaseType::real, sizes[0], sizes[1]);
}
Value to_matrix(const BuiltinCall& c) {
  const Dims sizes = dims_of(c[0]);
  const BaseType base = base_of(c[0]);
  if (c.size() >= 3) {
    const Index row_count = size_argument(c, 1), col_count = size_argument(c, 2);
    if (row_count * col_count != size_of(c[0])) {
      c.machine.fail(fmt::format("to_matrix: {} elements don't fill [{}, {}]", size_of(c[0]),
                                 row_count, col_count));
    }
    const bool rows_first = c.size() == 4 && c[3].integer() == 0;
    return rows_first ? by_rows(c, BaseType::matrix, row_count, col_count)
                      : recast(c, BaseType::matrix, {row_count, col_count});
  }
  if (base == BaseType::matrix) return c[0];
  if (sizes.count == 2)
    return by_rows(c, BaseType::matrix, sizes[0], sizes[1]);  // array of arrays or row vectors
  return recast(c, BaseType::matrix,
                base == BaseType::row_vector ? Dims{1, sizes[0]} : Dims{sizes[0], 1});
}
Value to_int(const BuiltinCall& c) {
  const auto truncated = [&](double x) {
    if (!(std::abs(x) < 2147483648.0))
      c.machine.reject("to_int", "argument", x, "within the range of int");
    return static_cast<std::int32_t>(x);
  };
  if (c[0].is_scalar()) return truncated(scalar_of(c[0]).known);
  std::vector<std::int32_t> values;
  for (Index i = 0; i < size_of(c[0]); ++i) values.push_back(truncated(scalar_of(c[0], i).known));
  return make_ints(dims_of(c[0]), std::move(values));
}

constexpr Builtin kContainersRows[] = {
    {"append_array", append_array},
    {"append_col", append_col},
    {"append_row", append_row},
    {"block", block},
    {"col", col},
    {"cols", cols},
    {"dims", dims},
    {"head", head},
    {"linspaced_array", linspaced_array},
    {"linspaced_int_array", linspaced_int_array},
    {"linspaced_row_vector", linspaced_row_vector},
    {"linspaced_vector", linspaced_vector},
    {"num_elements", num_elements, true},
    {"one_hot_array", one_hot_reals<BaseType::real>},
    {"one_hot_int_array", one_hot_int_array},
    {"one_hot_row_vector", one_hot_reals<BaseType::row_vector>},
    {"one_hot_vector", one_hot_reals<BaseType::vector>},
    {"ones_array", ones_array},
    {"ones_int_array", ones_int_array},
    {"ones_row_vector", ones_row_vector},
    {"ones_vector", ones_vector},
    {"rep_array", rep_array},
    {"rep_matrix", rep_matrix},
    {"rep_row_vector", rep_row_vector},
    {"rep_vector", rep_vector},
    {"reverse", reverse},
    {"row", row},
    {"rows", rows},
    {"segment", segment},
    {"size", size, true},
    {"sub_col", sub_col},
    {"sub_row", sub_row},
    {"tail", tail},
    {"to_array_1d", to_array_1d},
    {"to_array_2d", to_array_2d},
    {.name = "to_int", .run = to_int, .needs_numbers = true},
    {"to_matrix", to_matrix},
    {"to_row_vector", to_row_vector, true},
    {"to_vector", to_vector, true},
    {"uniform_simplex", uniform_simplex},
    {"zeros_array", zeros_array},
    {"zeros_int_array", zeros_int_array},
    {"zeros_row_vector", zeros_row_vector},
    {"zeros_vector", zeros_vector},
};
}  // namespace

std::span<const Builtin> builtins_containers() { return kContainersRows; }

}  // namespace credo::lang
