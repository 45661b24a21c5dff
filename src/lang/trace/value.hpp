// Values of the language while a program is traced or interpreted (one thing: tracing with every
// input known computes numbers and makes no node).
//
// A real scalar is a number or an element of a node. A container of reals is one expression, a list
// of scalars, or both: writing an element costs O(1) on the list, using the whole packs the list
// once. Containers are shared and copied on the first write. Elements lie array by array (row-major
// over array dimensions), each matrix by columns.
#pragma once
#include "graph/core/expr.hpp"
#include "lang/typed/types.hpp"

namespace credo::lang {

using graph::Expr;

struct Scalar {
  double known = kNaN;
  graph::Ref ref;  // node < 0: known

  Scalar() = default;
  Scalar(double value) : known(value) {}  // NOLINT: implicit
  explicit Scalar(const Expr& expr);
  bool is_known() const { return ref.node < 0; }
};

// Sizes of a container, array dimensions first, then those of the vector or matrix.
struct Dims {
  static constexpr int kMax = 10;
  std::array<std::int32_t, kMax> size{};
  int count = 0;

  Dims() = default;
  Dims(std::initializer_list<Index> sizes);
  void push(Index n) { size[static_cast<std::size_t>(count++)] = static_cast<std::int32_t>(n); }
  Index operator[](int d) const { return size[static_cast<std::size_t>(d)]; }
  Index back(int d = 0) const { return size[static_cast<std::size_t>(count - 1 - d)]; }
  Index total() const;
  bool operator==(const Dims& other) const;
};
std::string to_string(const Dims& dims);  // "[3, 2]"

int inner_dims(BaseType base);  // 0 for scalars, 1 for vectors, 2 for matrices
graph::Shape shape_of(BaseType base, const Dims& dims);  // array dimensions as batch

// A whole number that depends on parameters: an element of a node, and known facts about it.
struct Whole {
  static constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min(),
                                kMost = std::numeric_limits<std::int32_t>::max();
  graph::Ref ref;  // node < 0: none
  std::int32_t least = kLeast, most = kMost;
};

struct Value;
struct IntArray {
  Dims dims;
  std::vector<std::int32_t> values;
  std::vector<Whole> wholes = {};  // empty, or for each element: one with a node hides its value

  bool is_open() const;  // an element depends on parameters
  Value element(Index i) const;
  void set(Index i, const Value& value);
};

class RealArray {
 public:
  RealArray(BaseType base, Dims dims, Expr whole);
  RealArray(BaseType base, Dims dims, std::vector<Scalar> elements);

  BaseType base;  // real, vector, row_vector or matrix
  Dims dims;

  Index size() const { return dims.total(); }
  graph::Shape shape() const { return shape_of(base, dims); }
  Scalar element(Index i) const;
  void set(Index i, Scalar value);         // O(1) after the first
  void forget_from(graph::NodeId id);      // that node and later ones are taken back
  const Expr& whole(graph::Graph* graph);  // packs when elements were written
  bool is_listed() const { return !elements_.empty(); }
  bool is_packed() const { return !whole_.empty(); }
  std::span<const Scalar> elements();  // makes the list

 private:
  Expr whole_;                    // empty: the list is newer
  std::vector<Scalar> elements_;  // empty: only the whole is there
};

struct Column;  // one value for each round of a loop: lang/trace/column_value.hpp
struct TupleValue {
  std::vector<Value> elements;
};

using Ints = std::shared_ptr<IntArray>;
using Reals = std::shared_ptr<RealArray>;
using Tuple = std::shared_ptr<TupleValue>;
using ColumnPtr = std::shared_ptr<const Column>;

struct Value {
  std::variant<std::monostate, std::int32_t, Scalar, Ints, Reals, Tuple, ColumnPtr, Whole> held;

  Value() = default;
  Value(std::int32_t value) : held(value) {}          // NOLINT: implicit
  Value(Scalar value) : held(value) {}                // NOLINT: implicit
  Value(Ints value) : held(std::move(value)) {}       // NOLINT: implicit
  Value(Reals value) : held(std::move(value)) {}      // NOLINT: implicit
  Value(Tuple value) : held(std::move(value)) {}      // NOLINT: implicit
  Value(ColumnPtr value) : held(std::move(value)) {}  // NOLINT: implicit
  Value(Whole value) : held(value) {}                 // NOLINT: implicit

  bool is_int() const { return std::holds_alternative<std::int32_t>(held); }
  bool is_real() const { return std::holds_alternative<Scalar>(held); }
  bool is_ints() const { return std::holds_alternative<Ints>(held); }
  bool is_reals() const { return std::holds_alternative<Reals>(held); }
  bool is_tuple() const { return std::holds_alternative<Tuple>(held); }
  bool is_whole() const { return std::holds_alternative<Whole>(held); }  // and not known
  bool is_scalar() const { return is_int() || is_real() || is_whole(); }
  bool is_column() const { return std::holds_alternative<ColumnPtr>(held); }
  bool is_unset() const { return std::holds_alternative<std::monostate>(held); }
  std::int32_t integer() const { return std::get<std::int32_t>(held); }
  const Whole& whole() const { return std::get<Whole>(held); }
  const Scalar& real() const { return std::get<Scalar>(held); }
  const Ints& ints() const { return std::get<Ints>(held); }
  const Reals& reals() const { return std::get<Reals>(held); }
  const Tuple& tuple() const { return std::get<Tuple>(held); }
  const Column& column() const { return *std::get<ColumnPtr>(held); }
};

Dims dims_of(const Value& value);                   // empty for scalars
BaseType base_of(const Value& value);               // integer for ints
Index size_of(const Value& value);                  // number of scalars
Scalar scalar_of(const Value& value, Index i = 0);  // element i in storage order; ints become real
bool is_open(const Value& value);                   // whole numbers in it depend on parameters
Whole bounds_of(const Value& integer);              // of a scalar, known or not

// The value as an expression; ints become constants. graph may be null if everything is known.
Expr to_expr(const Value& value, graph::Graph* graph);
Expr to_expr(const Scalar& scalar, graph::Graph* graph);

// From an expression, with the sizes and base of the result.
Value from_expr(const Expr& expr, BaseType base, const Dims& dims);
Value like(const Expr& expr, const Value& pattern);  // a real value sized as `pattern`

Value make_ints(Dims dims, std::vector<std::int32_t> values);
Value make_reals(BaseType base, Dims dims, std::vector<Scalar> elements);
Value promoted_to_real(
    const Value& value);  // int -> real, array of int -> array of real, inside tuples too

// Packs a value that was written by elements, so that several threads may read the value at once.
void settle(const Value& value);

// Copies the container if others share it, so that it may be written.
IntArray& writable_ints(Value& value);
RealArray& writable_reals(Value& value);

}  // namespace credo::lang
