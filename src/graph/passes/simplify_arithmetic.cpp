// Rules on sums, products and powers: signs move up and vanish, constants meet.
//
// Assumed: intermediate products and sums of two scalars neither overflow nor underflow where the
// result doesn't. Zeros lose their sign. 0 * x is left alone: it isn't 0 for an infinite x. The one
// exception is the factor (c ? 1 : 0), the derivative of a choice: what isn't chosen is 0, NaN or
// not.
#include "graph/passes/simplify_rules.hpp"

namespace credo::graph {
namespace {

bool fills(const Candidate& c, const Expr& x) { return x.size() == c.shape.size(); }

// A factor that may be joined with others: no zero, nothing subnormal or infinite.
bool is_normal(const Expr& constant) {
  const auto values = constant.values();
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isnormal(v); });
}

// x = constant . rest for a row of two operands; false if neither is constant. `swapped`: the
// constant is the second.
struct ConstantAndRest {
  Expr constant, rest;
  bool second = false;
};
std::optional<ConstantAndRest> parts_with_constant(const Expr& x, const Op* row) {
  if (!is_row(x, row)) return std::nullopt;
  const Expr a = part_of(x, 0), b = part_of(x, 1);
  if (a.is_constant()) return ConstantAndRest{a, b, false};
  if (b.is_constant()) return ConstantAndRest{b, a, true};
  return std::nullopt;
}

// x + constant, written in any way, as sign * rest + constant.
struct Shifted {
  Expr constant, rest;
  bool negative = false;
};
std::optional<Shifted> shifted(Builder& build, const Expr& x) {
  if (const auto sum = parts_with_constant(x, rows().add); sum && all_finite(sum->constant))
    return Shifted{sum->constant, sum->rest, false};
  if (const auto less = parts_with_constant(x, rows().sub); less && all_finite(less->constant)) {
    if (less->second) return Shifted{build.neg(less->constant), less->rest, false};
    return Shifted{less->constant, less->rest, true};
  }
  return std::nullopt;
}
Expr unshifted(Builder& build, const Shifted& s) {
  if (s.negative) return build.sub(s.constant, s.rest);
  return build.add(s.rest, s.constant);
}

Expr add_zero(const Candidate& c) {
  if (is_value(c.b(), 0.0) && fills(c, c.a())) return c.a();
  if (is_value(c.a(), 0.0) && fills(c, c.b())) return c.b();
  return {};
}
Expr add_negative(const Candidate& c) {
  if (is_row(c.b(), rows().neg)) return c.build.sub(c.a(), part_of(c.b(), 0));
  if (is_row(c.a(), rows().neg)) return c.build.sub(c.b(), part_of(c.a(), 0));
  return {};
}
Expr add_constants(const Candidate& c) {
  const auto a = shifted(c.build, c.a()), b = shifted(c.build, c.b());
  if (a && c.b().is_constant() && all_finite(c.b()))
    return unshifted(c.build, {c.build.add(a->constant, c.b()), a->rest, a->negative});
  if (b && c.a().is_constant() && all_finite(c.a()))
    return unshifted(c.build, {c.build.add(b->constant, c.a()), b->rest, b->negative});
  if (!a || !b || !a->constant.is_scalar() || !b->constant.is_scalar()) return {};
  const Expr rest = a->negative && b->negative ? c.build.neg(c.build.add(a->rest, b->rest))
                    : a->negative              ? c.build.sub(b->rest, a->rest)
                    : b->negative              ? c.build.sub(a->rest, b->rest)
                                               : c.build.add(a->rest, b->rest);
  return c.build.add(rest, c.build.add(a->constant, b->constant));
}

Expr sub_zero(const Candidate& c) {
  if (is_value(c.b(), 0.0) && fills(c, c.a())) return c.a();
  if (is_value(c.a(), 0.0) && fills(c, c.b())) return c.build.neg(c.b());
  return {};
}
Expr sub_negative(const Candidate& c) {
  if (is_row(c.b(), rows().neg)) return c.build.add(c.a(), part_of(c.b(), 0));
  if (is_row(c.a(), rows().neg) && !c.b().is_constant())
    return c.build.neg(c.build.add(part_of(c.a(), 0), c.b()));
  return {};
}
Expr sub_constants(const Candidate& c) {
  if (c.b().is_constant() && all_finite(c.b())) {
    const auto a = shifted(c.build, c.a());
    if (!a) return {};
    return unshifted(c.build, {c.build.sub(a->constant, c.b()), a->rest, a->negative});
  }
  if (!c.a().is_constant() || !all_finite(c.a())) return {};
  const auto b = shifted(c.build, c.b());
  if (!b) return {};
  return unshifted(c.build, {c.build.sub(c.a(), b->constant), b->rest, !b->negative});
}

Expr mul_one(const Candidate& c) {
  for (int k = 0; k < 2; ++k) {
    const Expr &factor = c.in[static_cast<std::size_t>(k)],
               &rest = c.in[static_cast<std::size_t>(1 - k)];
    if (!fills(c, rest)) continue;
    if (is_value(factor, 1.0)) return rest;
    if (is_value(factor, -1.0)) return c.build.neg(rest);
  }
  return {};
}
Expr mul_negative(const Candidate& c) {
  for (int k = 0; k < 2; ++k) {
    const Expr &a = c.in[static_cast<std::size_t>(k)], &b = c.in[static_cast<std::size_t>(1 - k)];
    if (!is_row(a, rows().neg)) continue;
    const Expr positive = part_of(a, 0);
    if (b.is_constant()) return c.build.mul(positive, c.build.neg(b));
    return c.build.neg(c.build.mul(positive, b));
  }
  return {};
}
// c (d x), c (x / d), c (d / x), (c x)(d y)
Expr mul_constants(const Candidate& c) {
  for (int k = 0; k < 2; ++k) {
    const Expr &factor = c.in[static_cast<std::size_t>(k)],
               &x = c.in[static_cast<std::size_t>(1 - k)];
    if (!factor.is_constant() || !is_normal(factor)) continue;
    const auto product = parts_with_constant(x, rows().mul),
               quotient = parts_with_constant(x, rows().div);
    if (product && is_normal(product->constant)) {
      const Expr joined = c.build.mul(factor, product->constant);
      if (is_normal(joined)) return c.build.mul(joined, product->rest);
    }
    if (quotient && is_normal(quotient->constant) && !quotient->second) {
      const Expr joined = c.build.mul(factor, quotient->constant);
      if (is_normal(joined)) return c.build.div(joined, quotient->rest);
    }
  }
  const auto a = parts_with_constant(c.a(), rows().mul), b = parts_with_constant(c.b(), rows().mul);
  if (!a || !b || !a->constant.is_scalar() || !b->constant.is_scalar()) return {};
  const Expr joined = c.build.mul(a->constant, b->constant);
  if (!is_normal(a->constant) || !is_normal(b->constant) || !is_normal(joined)) return {};
  return c.build.mul(joined, c.build.mul(a->rest, b->rest));
}
Expr mul_same(const Candidate& c) { return same(c.a(), c.b()) ? c.build.square(c.a()) : Expr(); }

// (s v) t = (s t) v for scalars s, t and a container v.
Expr mul_scalars_first(const Candidate& c) {
  if (c.shape.is_scalar()) return {};
  for (int k = 0; k < 2; ++k) {
    const Expr &t = c.in[static_cast<std::size_t>(k)], &x = c.in[static_cast<std::size_t>(1 - k)];
    if (!t.is_scalar() || !is_row(x, rows().mul)) continue;
    const Expr p = part_of(x, 0), q = part_of(x, 1);
    if (p.is_scalar()) return c.build.mul(c.build.mul(p, t), q);
    if (q.is_scalar()) return c.build.mul(c.build.mul(q, t), p);
  }
  return {};
}
Expr mul_by_choice(const Candidate& c) {
  for (int k = 0; k < 2; ++k) {
    const Expr &choice = c.in[static_cast<std::size_t>(k)],
               &x = c.in[static_cast<std::size_t>(1 - k)];
    if (!is_row(choice, rows().select)) continue;
    const Expr condition = part_of(choice, 0), a = part_of(choice, 1), b = part_of(choice, 2);
    if (is_value(a, 1.0) && is_value(b, 0.0))
      return c.build.apply(*rows().select, {condition, x, 0.0}, {}, c.shape);
    if (is_value(a, 0.0) && is_value(b, 1.0))
      return c.build.apply(*rows().select, {condition, 0.0, x}, {}, c.shape);
  }
  return {};
}

Expr div_constant(const Candidate& c) {
  if (!c.b().is_constant() || !is_normal(c.b())) return {};
  if (is_value(c.b(), 1.0) && fills(c, c.a())) return c.a();
  const Expr inverse = c.build.div(1.0, c.b());
  return is_normal(inverse) ? c.build.mul(c.a(), inverse) : Expr();
}
Expr div_negative(const Candidate& c) {
  const auto flip = [&](const Expr& x) { return x.is_constant() ? c.build.neg(x) : part_of(x, 0); };
  if (is_row(c.a(), rows().neg)) return c.build.neg(c.build.div(flip(c.a()), c.b()));
  if (!is_row(c.b(), rows().neg)) return {};
  if (c.a().is_constant()) return c.build.div(flip(c.a()), flip(c.b()));
  return c.build.neg(c.build.div(c.a(), flip(c.b())));
}
// c / (d x) = (c / d) / x
Expr div_constants(const Candidate& c) {
  if (!c.a().is_constant() || !is_normal(c.a())) return {};
  const auto product = parts_with_constant(c.b(), rows().mul);
  if (!product || !is_normal(product->constant)) return {};
  const Expr joined = c.build.div(c.a(), product->constant);
  return is_normal(joined) ? c.build.div(joined, product->rest) : Expr();
}
// A division a container, not one an element.
Expr div_by_scalar(const Candidate& c) {
  if (!c.b().is_scalar() || c.a().is_scalar()) return {};
  return c.build.mul(c.build.div(1.0, c.b()), c.a());
}

Expr neg_inside(const Candidate& c) {
  const Expr& x = c.a();
  if (is_row(x, rows().neg)) return part_of(x, 0);
  if (is_row(x, rows().sub)) return c.build.sub(part_of(x, 1), part_of(x, 0));
  if (const auto sum = parts_with_constant(x, rows().add))
    return c.build.sub(c.build.neg(sum->constant), sum->rest);
  if (const auto product = parts_with_constant(x, rows().mul))
    return c.build.mul(c.build.neg(product->constant), product->rest);
  if (const auto quotient = parts_with_constant(x, rows().div); quotient && !quotient->second)
    return c.build.div(c.build.neg(quotient->constant), quotient->rest);
  return {};
}

Expr even_of_negative(const Candidate& c) {
  if (!is_row(c.a(), rows().neg)) return {};
  return c.build.map(c.op, {part_of(c.a(), 0)});
}
Expr square_of_abs(const Candidate& c) {
  return is_row(c.a(), rows().abs) ? c.build.square(part_of(c.a(), 0)) : Expr();
}
Expr sqrt_of_square(const Candidate& c) {
  if (!is_row(c.a(), rows().square)) return {};
  return c.build.map(*rows().abs, {part_of(c.a(), 0)});
}

Expr pow_of_known(const Candidate& c) {
  if (!c.b().is_constant() || !c.b().is_scalar()) return {};
  const double power = c.b().value();
  const Expr& x = c.a();
  const auto root = [&] { return c.build.map(*rows().sqrt, {x}); };
  if (power == 1.0) return x;
  if (power == 2.0) return c.build.square(x);
  if (power == 3.0) return c.build.mul(c.build.square(x), x);
  if (power == -1.0) return c.build.div(1.0, x);
  if (power == -2.0) return c.build.div(1.0, c.build.square(x));
  if (power == 0.5) return root();
  if (power == -0.5) return c.build.div(1.0, root());
  return {};
}

Expr select_known(const Candidate& c) {
  const Expr &condition = c.in[0], &a = c.in[1], &b = c.in[2];
  if (same(a, b) && fills(c, a)) return a;
  if (!condition.is_constant()) return {};
  const auto known = condition.values();
  const auto zeros = std::count(known.begin(), known.end(), 0.0);
  if (zeros != 0 && zeros != ssize(known)) return {};
  const Expr& chosen = zeros == 0 ? a : b;
  return fills(c, chosen) ? chosen : Expr();
}

constexpr std::array kArithmeticRules{
    SimplifyRule{"add", "add-zero", "x + 0 = x", add_zero},
    SimplifyRule{"add", "add-negative", "x + (-y) = x - y", add_negative},
    SimplifyRule{"add", "add-constants", "(x + c) + d = x + (c + d)", add_constants},
    SimplifyRule{"sub", "sub-zero", "x - 0 = x, 0 - x = -x", sub_zero},
    SimplifyRule{"sub", "sub-negative", "x - (-y) = x + y", sub_negative},
    SimplifyRule{"sub", "sub-constants", "(x + c) - d = x + (c - d)", sub_constants},
    SimplifyRule{"mul", "mul-one", "1 x = x, -1 x = -x", mul_one},
    SimplifyRule{"mul", "mul-negative", "(-x) y = -(x y)", mul_negative},
    SimplifyRule{"mul", "mul-constants", "c (d x) = (c d) x", mul_constants},
    SimplifyRule{"mul", "mul-same", "x x = x^2", mul_same},
    SimplifyRule{"mul", "mul-scalars-first", "(s v) t = (s t) v", mul_scalars_first},
    SimplifyRule{"mul", "mul-by-choice", "(c ? 1 : 0) x = c ? x : 0", mul_by_choice},
    SimplifyRule{"div", "div-constant", "x / c = x (1/c)", div_constant},
    SimplifyRule{"div", "div-negative", "(-x) / y = x / (-y) = -(x / y)", div_negative},
    SimplifyRule{"div", "div-constants", "c / (d x) = (c / d) / x", div_constants},
    SimplifyRule{"div", "div-by-scalar", "v / s = (1/s) v", div_by_scalar},
    SimplifyRule{"neg", "neg-inside", "-(-x) = x, -(x - y) = y - x, -(c x) = (-c) x", neg_inside},
    SimplifyRule{"square", "square-negative", "(-x)^2 = x^2", even_of_negative},
    SimplifyRule{"abs", "abs-negative", "|-x| = |x|", even_of_negative},
    SimplifyRule{"cosh", "cosh-negative", "cosh(-x) = cosh(x)", even_of_negative},
    SimplifyRule{"cos", "cos-negative", "cos(-x) = cos(x)", even_of_negative},
    SimplifyRule{"square", "square-abs", "|x|^2 = x^2", square_of_abs},
    SimplifyRule{"sqrt", "sqrt-square", "sqrt(x^2) = |x|", sqrt_of_square},
    SimplifyRule{"pow", "pow-known", "x^1, x^2, x^3, x^-1, x^-2, x^0.5, x^-0.5", pow_of_known},
    SimplifyRule{"select", "select-known", "(1 ? x : y) = x, (c ? x : x) = x", select_known},
};
}  // namespace

std::span<const SimplifyRule> arithmetic_rules() { return kArithmeticRules; }

}  // namespace credo::graph
