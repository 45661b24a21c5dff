// Indexing and tuple projections: what remains of a type (language facts 7).
#include "lang/check/check_internal.hpp"

namespace credo::lang {
namespace {
// Type of the result of one or two indices into a vector or matrix.
BaseType after_indices(BaseType base, std::span<const typed::IndexArgument> indices);
bool removes(const typed::IndexArgument& index) { return index.kind == typed::IndexKind::single; }
}  // namespace

std::vector<typed::IndexArgument> Checker::indices(const std::vector<ast::Index>& from) {
  std::vector<typed::IndexArgument> result;
  for (const ast::Index& i : from) result.push_back(index(i));
  return result;
}

typed::IndexArgument Checker::index(const ast::Index& from) {
  typed::IndexArgument result;
  if (from.kind == ast::IndexKind::all) return result;
  if (from.kind != ast::IndexKind::at) {
    result.kind = typed::IndexKind::range;
    if (from.first)
      result.first = boxed(required(*from.first, BaseType::integer, "a bound of a range"));
    if (from.last)
      result.last = boxed(required(*from.last, BaseType::integer, "a bound of a range"));
    return result;
  }
  typed::Expression e = expression(*from.first);
  const bool is_multi = e.type == UnsizedType(BaseType::integer, 1);
  if (!is_multi && !e.type.is_int() && !is_poisoned(e)) {
    report(DiagCode::type_mismatch, e.range, {"an index", "int or array[] int", to_string(e.type)},
           conversion_hint(e.type, BaseType::integer));
  }
  result.kind = is_multi ? typed::IndexKind::multi : typed::IndexKind::single;
  result.first = boxed(std::move(e));
  return result;
}

UnsizedType Checker::indexed_type(const UnsizedType& container,
                                  const std::vector<typed::IndexArgument>& indices,
                                  SourceRange range) {
  if (contains_poison(container)) return {};
  const int dimensions = num_dimensions(container);
  const int count = static_cast<int>(indices.size());
  if (dimensions == 0) {
    report(DiagCode::not_indexable, range, {with_article(container)});
    return {};
  }
  if (count > dimensions) {
    report(DiagCode::too_many_indices, range,
           {std::to_string(count), with_article(container), std::to_string(dimensions)});
    return {};
  }
  const auto of_array = static_cast<std::size_t>(std::min(count, container.depth));
  const std::span<const typed::IndexArgument> all(indices);
  UnsizedType result = container;
  for (const typed::IndexArgument& index : all.first(of_array))
    result.depth -= removes(index) ? 1 : 0;
  result.base = after_indices(container.base, all.subspan(of_array));
  return result;
}

UnsizedType Checker::projected_type(const UnsizedType& tuple, int position, SourceRange range) {
  if (tuple.is_poison()) return {};
  const int size = static_cast<int>(tuple.elements.size());
  if (tuple.is_tuple() && position >= 1 && position <= size) {
    return tuple.elements[static_cast<std::size_t>(position - 1)];
  }
  const std::string hint =
      tuple.base == BaseType::tuple && tuple.depth > 0 ? "index the array first: x[i].1" : "";
  report(DiagCode::no_such_element, range, {with_article(tuple), std::to_string(position)}, hint);
  return {};
}

namespace {
BaseType after_indices(BaseType base, std::span<const typed::IndexArgument> indices) {
  using enum BaseType;
  const bool is_complex =
      base == complex_vector || base == complex_row_vector || base == complex_matrix;
  const auto made = [&](BaseType of_reals, BaseType of_complex) {
    return is_complex ? of_complex : of_reals;
  };
  if (indices.empty()) return base;
  const bool first = removes(indices[0]);
  if (base != matrix && base != complex_matrix) return first ? made(real, complex) : base;
  const bool second = indices.size() > 1 && removes(indices[1]);
  if (first && second) return made(real, complex);
  if (first) return made(row_vector, complex_row_vector);
  return second ? made(vector, complex_vector) : base;
}
}  // namespace
}  // namespace credo::lang
