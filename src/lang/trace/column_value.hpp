// Columns: the values that one expression takes in the rounds of a loop, all at once. A row is a
// round.
#pragma once
#include "lang/trace/value.hpp"

namespace credo::lang {

using IntColumn = std::shared_ptr<const std::vector<std::int32_t>>;
using IntList = std::vector<std::int32_t>;

// A column holds its elements as one column each, or as rows of a container that haven't been taken
// apart: in row i the elements begin[i] + offsets[k] of `source`.
struct Column {
  BaseType base = BaseType::real;
  Dims dims{};      // sizes of the value in one row
  int context = 0;  // whose rows these are
  Index width = 0;
  std::vector<IntColumn> ints{};  // base integer; null: not set, or drawn
  std::vector<Expr> reals{};      // `width` elements, or a scalar that is the same in all rows; an
                                  // empty one has not been set. With base integer: those that are
                                  // drawn, else none or an empty one
  Value source{};
  IntColumn begin{};
  IntList offsets{};
  bool is_decided = false;  // ints from decisions on parameters, whose bounds aren't known

  bool is_rows() const { return begin != nullptr; }
  bool is_integer() const { return base == BaseType::integer; }
  Index size() const { return dims.total(); }
  bool is_drawn(Index k) const {  // an element of base integer
    return is_integer() && !reals.empty() && !reals[static_cast<std::size_t>(k)].empty();
  }
};

inline IntColumn int_column(IntList values) {
  return std::make_shared<const IntList>(std::move(values));
}
inline Value column_value(Column column) {
  return std::make_shared<const Column>(std::move(column));
}

Dims row_dims(const Value& value);  // sizes of one row; the value's own if it isn't a column
BaseType row_base(const Value& value);
bool is_int_based(const Value& value);
bool is_drawn(const Value& value, Index k);  // whole numbers that come from random numbers
bool any_column(std::span<const Value> values);

IntList composed(const IntList& map, const IntList& rows);  // map[rows[i]]
bool all_equal(const IntList& values);
Expr spread(const Expr& x, Index width);          // a scalar repeated
Expr taken(const Expr& x, const IntList& rows);   // elements `rows`, in order
bool same_value(const Value& a, const Value& b);  // known to be: equal numbers, one container

}  // namespace credo::lang
