// Operators and comparisons (language facts 6.3 - 6.6).
#include <fmt/format.h>

#include "lang/trace/builtins.hpp"
#include "lang/trace/comparison.hpp"

namespace credo::lang {
namespace {

bool both_int(const BuiltinCall& c) { return c[0].is_int() && c[1].is_int(); }
std::int64_t wide(const Value& v) { return v.integer(); }
// Throws if the value doesn't fit in 32 bits; int overflow is silent in other implementations (17.5).
Value fitting(const BuiltinCall& c, std::int64_t value) {
  return c.machine.int_result(c.name, value);
}

using Operator = Expr (*)(const Expr&, const Expr&);

// Whole numbers of which one depends on parameters: exact in doubles. Bounds of the result that
// leave 32 bits stand for an overflow that might be; then the numbers are decided.
bool any_whole(const BuiltinCall& c) {
  const auto is_integer = [](const Value& v) { return v.is_int() || v.is_whole(); };
  return std::all_of(c.arguments.begin(), c.arguments.end(), is_integer) &&
         std::any_of(c.arguments.begin(), c.arguments.end(),
                     [](const Value& v) { return v.is_whole(); });
}
using WideOperator = std::int64_t (*)(std::int64_t, std::int64_t);

template <Operator op>
Value whole_operation(const BuiltinCall& c, WideOperator plain) {
  const Whole a = bounds_of(c[0]), b = bounds_of(c[1]);
  const std::array corners{plain(a.least, b.least), plain(a.least, b.most), plain(a.most, b.least),
                           plain(a.most, b.most)};
  const auto [least, most] = std::minmax_element(corners.begin(), corners.end());
  if (*least < Whole::kLeast || *most > Whole::kMost)
    return fitting(c, plain(c.machine.integer(c[0]), c.machine.integer(c[1])));
  return c.machine.whole_number(op(c.expr(0), c.expr(1)), *least, *most);
}

const Value& container_of(const BuiltinCall& c) { return c[0].is_scalar() ? c[1] : c[0]; }

void check_same_size(const BuiltinCall& c) {
  if (c[0].is_scalar() || c[1].is_scalar()) return;
  const Dims a = dims_of(c[0]), b = dims_of(c[1]);
  if (a == b) return;
  c.machine.fail_sizes(
      fmt::format("{}: sizes {} and {} don't fit", c.name, to_string(a), to_string(b)));
}

// Numbers at once; the bits are those of the kernels (IEEE operations are exact roundings).
template <Operator op, auto plain>
Value elementwise(const BuiltinCall& c) {
  if (c[0].is_scalar() && c[1].is_scalar()) {
    const Scalar a = scalar_of(c[0]), b = scalar_of(c[1]);
    if (a.is_known() && b.is_known()) return Scalar(plain(a.known, b.known));
  }
  check_same_size(c);
  return like(op(c.expr(0), c.expr(1)), container_of(c));
}

Expr plus(const Expr& a, const Expr& b) { return a + b; }
Expr minus(const Expr& a, const Expr& b) { return a - b; }
Expr times(const Expr& a, const Expr& b) { return a * b; }
Expr over(const Expr& a, const Expr& b) { return a / b; }

Value add(const BuiltinCall& c) {
  if (both_int(c)) return fitting(c, wide(c[0]) + wide(c[1]));
  if (any_whole(c)) return whole_operation<plus>(c, [](auto a, auto b) { return a + b; });
  return elementwise<plus, [](double a, double b) { return a + b; }>(c);
}
Value subtract(const BuiltinCall& c) {
  if (both_int(c)) return fitting(c, wide(c[0]) - wide(c[1]));
  if (any_whole(c)) return whole_operation<minus>(c, [](auto a, auto b) { return a - b; });
  return elementwise<minus, [](double a, double b) { return a - b; }>(c);
}
Value elt_multiply(const BuiltinCall& c) {
  return elementwise<times, [](double a, double b) { return a * b; }>(c);
}
Value elt_divide(const BuiltinCall& c) {
  return elementwise<over, [](double a, double b) { return a / b; }>(c);
}

Value multiply(const BuiltinCall& c) {
  if (both_int(c)) return fitting(c, wide(c[0]) * wide(c[1]));
  if (any_whole(c)) return whole_operation<times>(c, [](auto a, auto b) { return a * b; });
  if (c[0].is_scalar() || c[1].is_scalar()) return elt_multiply(c);
  const Expr a = c.expr(0), b = c.expr(1);
  const Index rows = a.shape().rows, inner = a.shape().cols, cols = b.shape().cols;
  if (inner != b.shape().rows) {
    c.machine.fail_sizes(fmt::format("multiply: {} columns on the left, {} rows on the right",
                                     inner, b.shape().rows));
  }
  const BaseType left = base_of(c[0]), right = base_of(c[1]);
  if (left == BaseType::row_vector && right == BaseType::vector) return Scalar(graph::dot(a, b));
  const Expr product = graph::matmul(a, b);
  if (right == BaseType::vector) return from_expr(product, BaseType::vector, {rows});
  if (left == BaseType::row_vector) return from_expr(product, BaseType::row_vector, {cols});
  return from_expr(product, BaseType::matrix, {rows, cols});
}

Value integer_quotient(const BuiltinCall& c) {
  if (wide(c[1]) == 0) c.machine.reject(c.name, "divisor", 0.0, "nonzero");
  return fitting(c, wide(c[0]) / wide(c[1]));
}
Value divide(const BuiltinCall& c) {
  if (both_int(c)) return integer_quotient(c);
  if (base_of(c[1]) == BaseType::matrix && !c[0].is_scalar()) {
    return builtin_function("mdivide_right")(c);
  }
  return elt_divide(c);
}
Value modulus(const BuiltinCall& c) {
  if (wide(c[1]) == 0) c.machine.reject("modulus", "divisor", 0.0, "nonzero");
  return fitting(c, wide(c[0]) % wide(c[1]));
}

Value negate(const BuiltinCall& c) {
  if (c[0].is_int()) return fitting(c, -wide(c[0]));
  if (c[0].is_whole()) {
    const Whole& w = c[0].whole();
    if (w.least == Whole::kLeast) return fitting(c, -std::int64_t{c.machine.integer(c[0])});
    return c.machine.whole_number(-c.expr(0), -w.most, -w.least);
  }
  if (c[0].is_ints()) {
    Value negative = c.machine.closed(c[0]);
    for (std::int32_t& v : writable_ints(negative).values)
      v = c.machine.int_result(c.name, -std::int64_t{v});
    return negative;
  }
  return like(-c.expr(0), c[0]);
}
Value unary_plus(const BuiltinCall& c) { return c[0]; }

Value power(const BuiltinCall& c) {
  check_same_size(c);
  const Expr base = c.expr(0), exponent = c.expr(1);
  const bool is_square = exponent.is_constant() && exponent.is_scalar() && exponent.value() == 2.0;
  return like(is_square ? graph::square(base) : graph::pow(base, exponent), container_of(c));
}

// ---- comparisons: whole numbers, in the graph where parameters enter

template <std::size_t row>
Value compare(const BuiltinCall& c) {
  constexpr Comparison comparison = kComparisons[row];
  const Scalar a = scalar_of(c[0]), b = scalar_of(c[1]);
  if (a.is_known() && b.is_known()) return comparison.holds(a.known, b.known) ? 1 : 0;
  return c.machine.whole_number(comparison.result(c.expr(0), c.expr(1)), 0, 1);
}
template <std::size_t row>
constexpr Builtin comparison_row() {
  return {kComparisons[row].name, compare<row>, true};
}

Value logical_negation(const BuiltinCall& c) {
  if (c[0].is_int()) return c[0].integer() == 0 ? 1 : 0;
  return c.machine.whole_number(graph::equal(c.expr(0), 0.0), 0, 1);
}

// The calls; the operators may leave their second side alone.
Value logical_and(const BuiltinCall& c) {
  return c[0].integer() != 0 && c[1].integer() != 0 ? 1 : 0;
}
Value logical_or(const BuiltinCall& c) {
  return c[0].integer() != 0 || c[1].integer() != 0 ? 1 : 0;
}

constexpr Builtin kArithmeticRows[] = {
    {"add", add, true},
    {"divide", divide},
    {"elt_divide", elt_divide},
    {"elt_multiply", elt_multiply},
    {"idivide", integer_quotient},
    {"logical_and", logical_and},
    comparison_row<0>(),
    comparison_row<1>(),
    comparison_row<2>(),
    comparison_row<3>(),
    comparison_row<4>(),
    comparison_row<5>(),
    {"logical_negation", logical_negation, true},
    {"logical_or", logical_or},
    {"minus", negate, true},
    {"modulus", modulus},
    {"multiply", multiply, true},
    {"plus", unary_plus, true},
    {"pow", power, true},
    {"subtract", subtract, true},
};
}  // namespace

std::span<const Builtin> builtins_arithmetic() { return kArithmeticRows; }

}  // namespace credo::lang
