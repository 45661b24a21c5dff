#include "lang/trace/column_value.hpp"

namespace credo::lang {

Dims row_dims(const Value& value) {
  return value.is_column() ? value.column().dims : dims_of(value);
}
BaseType row_base(const Value& value) {
  return value.is_column() ? value.column().base : base_of(value);
}
bool is_int_based(const Value& value) {
  return value.is_int() || value.is_ints() || (value.is_column() && value.column().is_integer());
}
bool is_drawn(const Value& value, Index k) {
  return value.is_column() && value.column().is_drawn(k);
}
bool any_column(std::span<const Value> values) {
  return std::any_of(values.begin(), values.end(), [](const Value& v) { return v.is_column(); });
}

IntList composed(const IntList& map, const IntList& rows) {
  IntList result(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) result[i] = map[static_cast<std::size_t>(rows[i])];
  return result;
}

bool all_equal(const IntList& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

Expr spread(const Expr& x, Index width) {
  return x.is_scalar() ? graph::broadcast(graph::vector_shape(width), x) : x;
}

Expr taken(const Expr& x, const IntList& rows) {
  if (x.empty() || x.is_scalar()) return x;
  const graph::Shape shape = graph::vector_shape(ssize(rows));
  if (!x.is_constant() || shape.is_scalar()) return graph::gather(shape, x, rows);
  auto data = std::make_shared<AlignedArray>(shape.size());
  const auto from = x.values();
  for (std::size_t i = 0; i < rows.size(); ++i)
    (*data)[static_cast<Index>(i)] = from[static_cast<std::size_t>(rows[i])];
  return {shape, std::move(data)};
}

bool same_value(const Value& a, const Value& b) {
  if (a.held.index() != b.held.index()) return false;
  if (a.is_unset()) return true;
  if (a.is_int()) return a.integer() == b.integer();
  if (a.is_reals()) return a.reals() == b.reals();
  if (a.is_ints()) return a.ints() == b.ints();
  if (!a.is_real()) return false;
  const Scalar &x = a.real(), &y = b.real();
  if (!x.is_known() || !y.is_known()) return x.ref == y.ref && !x.is_known();
  return x.known == y.known || (std::isnan(x.known) && std::isnan(y.known));
}

}  // namespace credo::lang
