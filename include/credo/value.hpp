// Numbers and containers of a traced callable: operations on them become the program of
// the log density.
//
//   const credo::Vector theta = mu + tau * eta;                       // Real, Real, Vector
//   const credo::Real sum = credo::normal_lpdf(y, theta, sigma);      // credo/distributions.hpp
//   const credo::Real kink = credo::where(x > 0, x, -x);
//
// A value is known only when the program runs, so nothing can be decided by it while tracing:
// `if (x > 0)` doesn't compile. Operators and functions have the meaning of the Stan language:
// `*` of two vectors is not elementwise (elt_multiply is), `*` of matrices is their product.
// Indices count from 0. Values are cheap to copy and immutable except by +=.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credo/error.hpp"

namespace credo {

using Index = std::ptrdiff_t;

class Real;
class Vector;
class RowVector;
class Matrix;
class Argument;

namespace detail {
struct Node;
using NodePtr = std::shared_ptr<const Node>;
enum class Type { whole, real, vector, row_vector, matrix, wholes };

// Rows and columns of what a function yields, from those of its arguments A, B, C.
enum class Rule {
  scalar,
  largest,           // sizes of the first argument of the result's type
  first,             // A
  second,            // B
  transposed,        // cols(A) x rows(A)
  square_of_rows,    // rows(A) x rows(A)
  square_of_cols,    // cols(A) x cols(A)
  square_of_b_cols,  // cols(B) x cols(B)
  rows_by_b_cols,    // rows(A) x cols(B)
  cols_by_b_cols,    // cols(A) x cols(B)
  rows_by_b_rows,    // rows(A) x rows(B)
  shorter_side,      // min(rows(A), cols(A))
  rows_of_first,     // a vector of rows(A)
  cols_of_first,     // a row vector of cols(A)
  size_of_first,     // a vector or row vector of all elements of A
  joined_rows,       // rows(A) + rows(B)
  joined_cols,       // cols(A) + cols(B)
  square_of_size     // size(A) x size(A)
};

CREDO_API NodePtr literal(double number);
CREDO_API NodePtr whole_literal(std::int64_t number);
CREDO_API NodePtr call(const char* function, Type type, Rule rule,
                       std::initializer_list<Argument> arguments);
CREDO_API NodePtr infix(const char* symbol, Type type, Rule rule, const Argument& a,
                        const Argument& b);
CREDO_API NodePtr negated(const Argument& x);
CREDO_API NodePtr choice(const Argument& condition, const Argument& a, const Argument& b);
CREDO_API NodePtr element(const Argument& container, Index row, Index col);
CREDO_API NodePtr segment(const Argument& container, Index first, Index count);
CREDO_API NodePtr taken(const Argument& vector, std::span<const int> places);
CREDO_API NodePtr row_or_column(const Argument& matrix, Index place, bool is_row);
CREDO_API NodePtr listed(std::span<const Real> elements, Type type);
CREDO_API NodePtr numbers(std::string name, std::span<const double> values, Type type, Index rows,
                          Index cols);
CREDO_API NodePtr whole_numbers(std::string name, std::span<const int> values);

template <class T>
T make(NodePtr node);
template <class T>
inline constexpr bool never = false;
}  // namespace detail

// Base class of all values.
class CREDO_API Value {
 public:
  Index rows() const;  // 1 of a number and of a row vector
  Index cols() const;
  Index size() const { return rows() * cols(); }
  const detail::NodePtr& node() const { return node_; }

 protected:
  explicit Value(detail::NodePtr node) : node_(std::move(node)) {}
  detail::NodePtr node_;
};

// A truth that depends on parameters: for where() only.
class Condition : public Value {
 public:
  template <class T>
  requires std::same_as<T, bool>
  explicit operator T() const {
    static_assert(detail::never<T>,
                  "a decision on a parameter's value: the callable is traced once, for all values; "
                  "use credo::where(condition, a, b)");
    return false;
  }

 private:
  template <class T>
  friend T detail::make(detail::NodePtr node);
  using Value::Value;
};

// A number.
class Real : public Value {
 public:
  Real(double number = 0.0) : Value(detail::literal(number)) {}  // NOLINT: implicit
  Real& operator+=(const Real& x);
  Real& operator-=(const Real& x);
  Real& operator*=(const Real& x);
  Real& operator/=(const Real& x);

 private:
  template <class T>
  friend T detail::make(detail::NodePtr node);
  using Value::Value;
};

// A column vector.
class Vector : public Value {
 public:
  Vector(const std::vector<double>& numbers)  // NOLINT: implicit
      : Vector(std::span<const double>(numbers)) {}
  explicit Vector(std::span<const double> numbers)
      : Value(detail::numbers({}, numbers, detail::Type::vector, std::ssize(numbers), 1)) {}
  explicit Vector(std::span<const Real> elements)
      : Value(detail::listed(elements, detail::Type::vector)) {}
  Vector(std::initializer_list<Real> elements)
      : Vector(std::span<const Real>(elements.begin(), elements.size())) {}

  // Element i from 0. Throws Error(usage) beyond the end, as all of these do.
  Real operator[](Index i) const;
  Vector segment(Index first, Index count) const;
  Vector head(Index count) const { return segment(0, count); }
  Vector tail(Index count) const { return segment(size() - count, count); }
  // The elements at these places, from 0, in this order: theta.at(school).
  Vector at(std::span<const int> places) const;

 private:
  template <class T>
  friend T detail::make(detail::NodePtr node);
  using Value::Value;
};

class RowVector : public Value {
 public:
  explicit RowVector(std::span<const double> numbers)
      : Value(detail::numbers({}, numbers, detail::Type::row_vector, 1, std::ssize(numbers))) {}
  Real operator[](Index i) const;

 private:
  template <class T>
  friend T detail::make(detail::NodePtr node);
  using Value::Value;
};

class Matrix : public Value {
 public:
  // rows * cols numbers, column by column. Throws Error(usage) for another number of them.
  Matrix(Index rows, Index cols, std::span<const double> numbers)
      : Value(detail::numbers({}, numbers, detail::Type::matrix, rows, cols)) {}

  Real operator()(Index i, Index j) const;  // from 0
  RowVector row(Index i) const;
  Vector col(Index j) const;

 private:
  template <class T>
  friend T detail::make(detail::NodePtr node);
  using Value::Value;
};

// Whole numbers: data such as counts.
class Wholes : public Value {
 public:
  explicit Wholes(std::span<const int> numbers) : Value(detail::whole_numbers({}, numbers)) {}

 private:
  template <class T>
  friend T detail::make(detail::NodePtr node);
  using Value::Value;
};

// Argument of a function: a value, a number or data. Whole numbers (int, std::vector<int>) stay
// whole: counts of a binomial are such, and 1 / 2 as an argument is 0.5 only of doubles.
class Argument {
 public:
  Argument(const Value& value) : node_(value.node()) {}  // NOLINT: implicit, as are these
  Argument(std::floating_point auto number) : node_(detail::literal(static_cast<double>(number))) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Argument(T number)
      : node_(detail::whole_literal(static_cast<std::int64_t>(number))) {}
  Argument(const std::vector<double>& numbers) : Argument(Vector(numbers)) {}
  Argument(std::span<const double> numbers) : Argument(Vector(numbers)) {}
  Argument(const std::vector<int>& numbers) : Argument(Wholes(numbers)) {}
  Argument(std::span<const int> numbers) : Argument(Wholes(numbers)) {}

  const detail::NodePtr& node() const { return node_; }

 private:
  detail::NodePtr node_;
};

// Data with a name, under which messages and result files know them. Each name once a model; data
// without a name are data_1, data_2, ... in the order in which they are met.
inline Vector data(std::string name, std::span<const double> numbers);
inline Wholes data(std::string name, std::span<const int> numbers);
inline Matrix data(std::string name, Index rows, Index cols, std::span<const double> numbers);

template <class T>
concept Container =
    std::same_as<T, Vector> || std::same_as<T, RowVector> || std::same_as<T, Matrix>;

// ---- the rest is short

template <class T>
T detail::make(NodePtr node) {
  return T(std::move(node));
}

namespace detail {
template <class T>
inline constexpr Type type_of = std::same_as<T, Real>        ? Type::real
                                : std::same_as<T, Vector>    ? Type::vector
                                : std::same_as<T, RowVector> ? Type::row_vector
                                : std::same_as<T, Matrix>    ? Type::matrix
                                                             : Type::whole;
template <class T>
T joined(const char* symbol, const Argument& a, const Argument& b, Rule rule = Rule::largest) {
  return make<T>(infix(symbol, type_of<T>, rule, a, b));
}
}  // namespace detail

inline Vector data(std::string name, std::span<const double> numbers) {
  return detail::make<Vector>(
      detail::numbers(std::move(name), numbers, detail::Type::vector, std::ssize(numbers), 1));
}
inline Wholes data(std::string name, std::span<const int> numbers) {
  return detail::make<Wholes>(detail::whole_numbers(std::move(name), numbers));
}
inline Matrix data(std::string name, Index rows, Index cols, std::span<const double> numbers) {
  return detail::make<Matrix>(
      detail::numbers(std::move(name), numbers, detail::Type::matrix, rows, cols));
}

inline Real Vector::operator[](Index i) const {
  return detail::make<Real>(detail::element(*this, i, 0));
}
inline Vector Vector::segment(Index first, Index count) const {
  return detail::make<Vector>(detail::segment(*this, first, count));
}
inline Vector Vector::at(std::span<const int> places) const {
  return detail::make<Vector>(detail::taken(*this, places));
}
inline Real RowVector::operator[](Index i) const {
  return detail::make<Real>(detail::element(*this, 0, i));
}
inline Real Matrix::operator()(Index i, Index j) const {
  return detail::make<Real>(detail::element(*this, i, j));
}
inline RowVector Matrix::row(Index i) const {
  return detail::make<RowVector>(detail::row_or_column(*this, i, true));
}
inline Vector Matrix::col(Index j) const {
  return detail::make<Vector>(detail::row_or_column(*this, j, false));
}

inline Real operator+(const Real& a, const Real& b) { return detail::joined<Real>("+", a, b); }
inline Real operator-(const Real& a, const Real& b) { return detail::joined<Real>("-", a, b); }
inline Real operator*(const Real& a, const Real& b) { return detail::joined<Real>("*", a, b); }
inline Real operator/(const Real& a, const Real& b) { return detail::joined<Real>("/", a, b); }
inline Real operator+(const Real& a) { return a; }
inline Real operator-(const Real& a) { return detail::make<Real>(detail::negated(a)); }
inline Real& Real::operator+=(const Real& x) { return *this = *this + x; }
inline Real& Real::operator-=(const Real& x) { return *this = *this - x; }
inline Real& Real::operator*=(const Real& x) { return *this = *this * x; }
inline Real& Real::operator/=(const Real& x) { return *this = *this / x; }

template <Container T>
T operator+(const T& a, const T& b) {
  return detail::joined<T>("+", a, b);
}
template <Container T>
T operator+(const T& a, const Real& b) {
  return detail::joined<T>("+", a, b);
}
template <Container T>
T operator+(const Real& a, const T& b) {
  return detail::joined<T>("+", a, b);
}
template <Container T>
T operator-(const T& a, const T& b) {
  return detail::joined<T>("-", a, b);
}
template <Container T>
T operator-(const T& a, const Real& b) {
  return detail::joined<T>("-", a, b);
}
template <Container T>
T operator-(const Real& a, const T& b) {
  return detail::joined<T>("-", a, b);
}
template <Container T>
T operator-(const T& a) {
  return detail::make<T>(detail::negated(a));
}
template <Container T>
T operator*(const T& a, const Real& b) {
  return detail::joined<T>("*", a, b);
}
template <Container T>
T operator*(const Real& a, const T& b) {
  return detail::joined<T>("*", a, b);
}
template <Container T>
T operator/(const T& a, const Real& b) {
  return detail::joined<T>("/", a, b);
}
inline Vector operator*(const Matrix& a, const Vector& b) {
  return detail::joined<Vector>("*", a, b, detail::Rule::rows_by_b_cols);
}
inline RowVector operator*(const RowVector& a, const Matrix& b) {
  return detail::joined<RowVector>("*", a, b, detail::Rule::rows_by_b_cols);
}
inline Matrix operator*(const Matrix& a, const Matrix& b) {
  return detail::joined<Matrix>("*", a, b, detail::Rule::rows_by_b_cols);
}
inline Matrix operator*(const Vector& a, const RowVector& b) {
  return detail::joined<Matrix>("*", a, b, detail::Rule::rows_by_b_cols);
}
inline Real operator*(const RowVector& a, const Vector& b) {
  return detail::joined<Real>("*", a, b, detail::Rule::scalar);
}

inline Condition operator<(const Real& a, const Real& b) {
  return detail::joined<Condition>("<", a, b, detail::Rule::scalar);
}
inline Condition operator<=(const Real& a, const Real& b) {
  return detail::joined<Condition>("<=", a, b, detail::Rule::scalar);
}
inline Condition operator>(const Real& a, const Real& b) {
  return detail::joined<Condition>(">", a, b, detail::Rule::scalar);
}
inline Condition operator>=(const Real& a, const Real& b) {
  return detail::joined<Condition>(">=", a, b, detail::Rule::scalar);
}
inline Condition both(const Condition& a, const Condition& b) {
  return detail::joined<Condition>("&&", a, b, detail::Rule::scalar);
}
inline Condition either(const Condition& a, const Condition& b) {
  return detail::joined<Condition>("||", a, b, detail::Rule::scalar);
}

// a where the condition holds, else b. The gradient is that of the side taken; where they don't
// meet, the log density has a kink or a jump, which samplers with gradients don't like.
inline Real where(const Condition& condition, const Real& a, const Real& b) {
  return detail::make<Real>(detail::choice(condition, a, b));
}

}  // namespace credo
