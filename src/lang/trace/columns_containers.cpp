// Functions of the small containers that each row has: reductions, products, shapes, parts.
#include "graph/ops/linear_algebra.hpp"
#include "lang/trace/columns.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::lang {
namespace {
bool is_row_by_column(const Value& a, const Value& b) {
  return row_base(a) == BaseType::row_vector && row_base(b) == BaseType::vector &&
         row_dims(a).count == 1 && row_dims(b).count == 1;
}
}  // namespace

std::optional<Value> Columns::container_function(const typed::Call& c, std::span<Value> arguments) {
  const std::string_view name = c.function.name;
  if (name == "multiply") return multiply(c, arguments);
  if (name == "divide" && !is_int_based(arguments[0]) && row_dims(arguments[1]).count == 0)
    return elementwise(c, "elt_divide", arguments);
  if (name == "divide" && !is_int_based(arguments[1]) && row_dims(arguments[1]).count == 0)
    return elementwise(c, "elt_divide", arguments);
  if (row_dims(arguments[0]).count == 0) return part_function(name, arguments);
  if (name == "sum") return sum(arguments[0]);
  if (name == "mean")
    return binary("divide", sum(arguments[0]), Scalar(double(row_dims(arguments[0]).total())));
  if (name == "dot_product") return dot(arguments[0], arguments[1]);
  if (name == "dot_self") return dot(arguments[0], arguments[0]);
  if (name == "norm2") return unary("sqrt", dot(arguments[0], arguments[0]));
  if (name == "squared_distance" || name == "distance") {
    const Value d = binary("subtract", arguments[0],
                           recast(arguments[1], row_base(arguments[0]), row_dims(arguments[0])));
    return name == "distance" ? unary("sqrt", dot(d, d)) : dot(d, d);
  }
  if (name == "log_sum_exp" && arguments.size() == 1) return log_sum_exp(arguments[0]);
  if (name == "log_mix" && arguments.size() == 2) {
    if (arguments[0].is_column()) abandon("log_mix with weights of the round");
    std::array weights{arguments[0], arguments[0]};
    m_.run_builtin(c, weights);  // checks the weights
    return log_sum_exp(
        binary("add", unary("log", arguments[0]),
               recast(arguments[1], row_base(arguments[0]), row_dims(arguments[0]))));
  }
  if (name == "softmax" || name == "log_softmax")
    return softmax(arguments[0], name == "log_softmax");
  if (auto size = size_function(name, arguments[0])) return size;
  return part_function(name, arguments);
}

std::optional<Value> Columns::size_function(std::string_view name, const Value& container) {
  const Dims dims = row_dims(container);
  const BaseType base = row_base(container);
  const auto narrow = [](Index n) { return Value(static_cast<std::int32_t>(n)); };
  if (name == "num_elements") return narrow(dims.total());
  if (name == "size" && !(base == BaseType::matrix && dims.count == 2)) return narrow(dims[0]);
  if (name == "size") return narrow(dims.total());
  if (name == "rows") return narrow(shape_of(base, dims).rows);
  if (name == "cols") return narrow(shape_of(base, dims).cols);
  return std::nullopt;
}

// Shapes and parts, without any computation.
std::optional<Value> Columns::part_function(std::string_view name, std::span<Value> arguments) {
  const Value& x = arguments[0];
  const Dims dims = row_dims(x);
  const BaseType base = row_base(x);
  if (dims.count == 1 && name == "to_vector") return recast(x, BaseType::vector, dims);
  if (dims.count == 1 && name == "to_row_vector") return recast(x, BaseType::row_vector, dims);
  if (dims.count == 1 && name == "to_array_1d")
    return recast(x, is_int_based(x) ? BaseType::integer : BaseType::real, dims);
  if (name == "transpose" && dims.count == 1 && base != BaseType::real)
    return recast(x, base == BaseType::vector ? BaseType::row_vector : BaseType::vector, dims);
  const bool repeats = name == "rep_vector" || name == "rep_row_vector" || name == "rep_array";
  if (repeats && dims.count == 0 && arguments.size() == 2 && arguments[1].is_int() &&
      arguments[1].integer() > 0 && arguments[1].integer() <= 64) {
    const std::vector<Value> copies(static_cast<std::size_t>(arguments[1].integer()), x);
    if (is_int_based(x)) return joined(copies, BaseType::integer);
    return joined(copies, name == "rep_vector"       ? BaseType::vector
                          : name == "rep_row_vector" ? BaseType::row_vector
                                                     : BaseType::real);
  }
  const bool is_row = name == "row", is_part = is_row || name == "col";
  if (is_part && !x.is_column() && dims.count == 2) {  // row(x, n)
    Plan plan;
    const int single = is_row ? 0 : 1;
    for (int d = 0; d < 2; ++d) {
      Selection s{d == single, IntList(static_cast<std::size_t>(d == single ? 1 : dims[d]), 0)};
      if (d != single) std::iota(s.places.begin(), s.places.end(), 0);
      plan.selections.push_back(std::move(s));
    }
    const auto strides = strides_of(base, dims);
    add_places(arguments[1], dims[single], strides[static_cast<std::size_t>(single)], plan);
    const Selected selected = select(base, dims, plan.selections);
    if (selected.positions.empty()) abandon("an empty container in every round");
    return index_rows(x, plan, selected);
  }
  return std::nullopt;
}

Value Columns::recast(const Value& value, BaseType base, const Dims& dims) {
  if (!value.is_column()) {
    if (row_base(value) == base) return value;
    if (is_int_based(value)) abandon("a list of whole numbers as reals");
    const Expr x = m_.expr(value);
    return from_expr(x.reshaped(shape_of(base, dims)), base, dims);
  }
  if (value.column().is_integer() != (base == BaseType::integer))
    abandon("a list of whole numbers as reals");
  Column column = value.column();
  column.base = base;
  column.dims = dims;
  return column_value(std::move(column));
}

// ---- reductions

Value Columns::sum(const Value& x) {
  const Index count = row_dims(x).total();
  if (count == 0) abandon("an empty container in every round");
  if (is_exact() && !is_int_based(x) && count > 1) abandon_reordered();
  const Value parts = apart(x);
  const auto part = [&](Index k) {
    return is_int_based(x) ? int_value(int_element(parts, k)) : scalar_value(element(parts, k));
  };
  Value total = part(0);
  for (Index k = 1; k < count; ++k) total = binary("add", total, part(k));
  return total;
}

Value Columns::log_sum_exp(const Value& x) {
  const Index count = row_dims(x).total();
  if (count == 0) abandon("an empty container in every round");
  if (is_exact()) abandon_reordered();
  const Value parts = apart(x);
  Expr total = element(parts, 0);
  for (Index k = 1; k < count; ++k) total = graph::log_sum_exp(total, element(parts, k));
  return scalar_value(total);
}

Value Columns::softmax(const Value& x, bool log_scale) {
  const Value shifted = binary("subtract", x, log_sum_exp(x));
  return log_scale ? shifted : unary("exp", shifted);
}

// ---- products

// Rows of one container against one vector are a matrix product.
Value Columns::dot(const Value& a, const Value& b) {
  const Index count = row_dims(a).total();
  if (count != row_dims(b).total()) abandon("containers of different sizes");
  if (count == 0) return Scalar(0.0);
  const bool a_rows = a.is_column() && a.column().is_rows() && !is_int_based(a);
  const bool b_rows = b.is_column() && b.column().is_rows() && !is_int_based(b);
  const bool product = (a_rows && !b.is_column()) || (b_rows && !a.is_column());
  if (is_exact()) {
    if (!product) abandon_reordered();
    return exact_dot(a_rows ? a : b, a_rows ? b : a);
  }
  if (product && count > 1) {
    bool rows_first = false;
    const Expr rows = as_matrix(a_rows ? a.column() : b.column(), rows_first);
    const Expr weights = m_.expr(a_rows ? b : a).reshaped(graph::vector_shape(count));
    const Expr all = graph::matmul(rows, weights, rows_first, false);
    return scalar_value(all.reshaped(graph::vector_shape(at_->width)));
  }
  const Value left = apart(a), right = apart(b);
  Expr total = element(left, 0) * element(right, 0);
  for (Index k = 1; k < count; ++k) total = total + element(left, k) * element(right, k);
  return scalar_value(total);
}

Value Columns::exact_dot(const Value& rows, const Value& other) {
  bool rows_first = false;
  const Expr all = as_matrix(rows.column(), rows_first);
  const Expr weights = m_.expr(other).reshaped(graph::vector_shape(row_dims(other).total()));
  return scalar_value(graph::row_dots(rows_first ? graph::transpose(all) : all, weights));
}

Value Columns::multiply(const typed::Call& c, std::span<Value> arguments) {
  const Value &a = arguments[0], &b = arguments[1];
  if (row_dims(a).count == 0 || row_dims(b).count == 0)
    return elementwise(c, "elt_multiply", arguments);
  if (is_row_by_column(a, b)) return dot(a, b);
  // a matrix that is the same in all rounds times the round's vector, or the other way round
  const bool left =
      !a.is_column() && row_base(a) == BaseType::matrix && row_base(b) == BaseType::vector;
  const bool right =
      !b.is_column() && row_base(b) == BaseType::matrix && row_base(a) == BaseType::row_vector;
  if (!left && !right) abandon("a product of matrices in every round");
  if (is_exact()) abandon_reordered();
  const Value& matrix = left ? a : b;
  const Dims dims = dims_of(matrix);
  const Index inner = left ? dims[1] : dims[0], outer = left ? dims[0] : dims[1];
  const Value vector = apart(left ? b : a);
  if (row_dims(vector).total() != inner || inner == 0) abandon("sizes of a product");
  if (outer > 64) abandon("values of many elements in every round");
  std::vector<Value> results;
  for (Index i = 0; i < outer; ++i) {
    Expr total;
    for (Index k = 0; k < inner; ++k) {
      const Index place = left ? i + k * dims[0] : k + i * dims[0];
      const Expr product = m_.expr(scalar_of(matrix, place)) * element(vector, k);
      total = k == 0 ? product : total + product;
    }
    results.push_back(scalar_value(total));
  }
  return assembled(results, left ? BaseType::vector : BaseType::row_vector, {outer});
}

}  // namespace credo::lang
