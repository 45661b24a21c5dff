// Rules on functions: forms that are equal in exact arithmetic, no less accurate, and keep their
// digits where the written form loses them.
#include "graph/passes/simplify_rules.hpp"

namespace credo::graph {
namespace {

Expr one_of(const Candidate& c, const Op* row, const Expr& x) { return c.build.map(*row, {x}); }

// The x of 1 + x in either order.
Expr beyond_one(const Expr& sum) {
  if (!is_row(sum, rows().add)) return {};
  const Expr a = part_of(sum, 0), b = part_of(sum, 1);
  if (is_value(a, 1.0) && b.size() == sum.size()) return b;
  if (is_value(b, 1.0) && a.size() == sum.size()) return a;
  return {};
}

Expr log_of_inverse(const Candidate& c) {
  const Expr& x = c.a();
  if (is_row(x, rows().exp)) return part_of(x, 0);
  if (is_row(x, rows().inv_logit)) return one_of(c, rows().log_inv_logit, part_of(x, 0));
  if (is_row(x, rows().sqrt)) return c.build.mul(0.5, c.build.log(part_of(x, 0)));
  if (is_row(x, rows().div) && is_value(part_of(x, 0), 1.0))
    return c.build.neg(c.build.log(part_of(x, 1)));
  return {};
}
Expr log_near_one(const Candidate& c) {
  const Expr x = beyond_one(c.a());
  if (!x.empty()) return one_of(c, rows().log1p, x);
  if (!is_row(c.a(), rows().sub) || !is_value(part_of(c.a(), 0), 1.0)) return {};
  const Expr y = part_of(c.a(), 1);
  return y.size() == c.shape.size() ? one_of(c, rows().log1p, c.build.neg(y)) : Expr();
}
Expr log_of_sum(const Candidate& c) {
  if (!is_row(c.a(), rows().sum)) return {};
  const Expr x = part_of(c.a(), 0);
  if (!is_row(x, rows().exp)) return {};
  return c.build.apply(*rows().log_sum_exp_all, {part_of(x, 0)}, {}, Shape{});
}
// One logarithm of an unknown instead of one for each known number.
Expr log_of_known_factor(const Candidate& c) {
  if (!is_row(c.a(), rows().mul)) return {};
  for (std::size_t k = 0; k < 2; ++k) {
    const Expr known = part_of(c.a(), k), x = part_of(c.a(), 1 - k);
    if (!known.is_constant() || known.is_scalar() || !x.is_scalar()) continue;
    const bool positive = std::ranges::all_of(
        known.values(), [](double v) { return v > 0.0 && std::isnormal(v); });
    return positive ? c.build.add(c.build.log(known), c.build.log(x)) : Expr();
  }
  return {};
}
Expr log1p_of(const Candidate& c) {
  const Expr& x = c.a();
  if (is_row(x, rows().exp)) return one_of(c, rows().log1p_exp, part_of(x, 0));
  if (!is_row(x, rows().neg)) return {};
  const Expr y = part_of(x, 0);
  if (is_row(y, rows().exp)) return one_of(c, rows().log1m_exp, part_of(y, 0));
  if (is_row(y, rows().inv_logit))
    return one_of(c, rows().log_inv_logit, c.build.neg(part_of(y, 0)));
  return {};
}
Expr complement_of_inv_logit(const Candidate& c) {
  if (!is_value(c.a(), 1.0) || !is_row(c.b(), rows().inv_logit)) return {};
  return one_of(c, rows().inv_logit, c.build.neg(part_of(c.b(), 0)));
}
Expr two_log_sum_exp(const Candidate& c) {
  const Expr& x = c.a();
  if (!is_row(x, rows().pack) || x.size() != 2) return {};
  return c.build.map(*rows().log_sum_exp, {part_of(x, 0), part_of(x, 1)});
}

// a log(f(x)) for a known a: 0 where a is, whatever x is.
Expr known_times(const Candidate& c, const Expr& log) {
  const auto values = c.a().values();
  const auto zeros = std::count(values.begin(), values.end(), 0.0);
  if (zeros == 0) return c.build.mul(c.a(), log);
  if (c.a().is_scalar()) return {};
  std::vector<double> there;
  for (const double value : values) there.push_back(value != 0.0 ? 1.0 : 0.0);
  const Expr mask = c.build.interned(constant(c.a().shape(), there));
  return c.build.apply(*rows().select, {mask, c.build.mul(c.a(), log), 0.0}, {}, c.shape);
}
Expr multiply_log_known(const Candidate& c) {
  if (!c.a().is_constant() || !all_finite(c.a())) return {};
  const auto values = c.a().values();
  const bool chosen =
      std::all_of(values.begin(), values.end(), [](double v) { return v == 0.0 || v == 1.0; });
  const bool odds = is_row(c.b(), rows().inv_logit);
  if (odds && chosen) return {};  // half of a Bernoulli, see there
  if (is_row(c.b(), rows().exp) || odds) return known_times(c, c.build.log(c.b()));
  const bool none = std::find(values.begin(), values.end(), 0.0) == values.end();
  return none ? c.build.mul(c.a(), c.build.log(c.b())) : Expr();
}

// y log p + (1 - y) log(1 - p) with p = inv_logit(x) and y in {0, 1}: -log1p_exp((1 - 2 y) x).
Expr bernoulli_of(const Candidate& c, const Expr& yes, const Expr& no) {
  if (!is_row(yes, rows().multiply_log) || !is_row(no, rows().multiply_log)) return {};
  const Expr y = part_of(yes, 0), n = part_of(no, 0), p = part_of(yes, 1), q = part_of(no, 1);
  if (!y.is_constant() || !n.is_constant() || y.size() != n.size()) return {};
  if (!is_row(p, rows().inv_logit) || !is_row(q, rows().inv_logit)) return {};
  const Expr x = part_of(p, 0), opposite = part_of(q, 0);
  if (!is_row(opposite, rows().neg) || !same(part_of(opposite, 0), x)) return {};
  std::vector<double> sign;
  for (std::size_t i = 0; i < y.values().size(); ++i) {
    const double value = y.values()[i];
    if ((value != 0.0 && value != 1.0) || n.values()[i] != 1.0 - value) return {};
    sign.push_back(1.0 - 2.0 * value);
  }
  return c.build.neg(one_of(c, rows().log1p_exp, c.build.mul(constant(y.shape(), sign), x)));
}

Expr bernoulli_by_odds(const Candidate& c) {
  const Expr either = bernoulli_of(c, c.a(), c.b());
  return either.empty() ? bernoulli_of(c, c.b(), c.a()) : either;
}

constexpr std::array kFunctionRules{
    SimplifyRule{"add", "bernoulli-by-odds", "y log p + (1-y) log(1-p) = -log1p_exp((1-2y) x)",
                 bernoulli_by_odds},
    SimplifyRule{"log", "log-of-inverse", "log exp x = x, log inv_logit x, log sqrt x, log(1/x)",
                 log_of_inverse},
    SimplifyRule{"log", "log-near-one", "log(1 + x) = log1p x", log_near_one},
    SimplifyRule{"log", "log-of-sum", "log sum exp x = log_sum_exp x", log_of_sum},
    SimplifyRule{"log", "log-of-known-factor", "log(c x) = log c + log x for known c > 0",
                 log_of_known_factor},
    SimplifyRule{"log1p", "log1p-of", "log1p exp x = log1p_exp x, log1p(-exp x) = log1m_exp x",
                 log1p_of},
    SimplifyRule{"sub", "one-minus-inv-logit", "1 - inv_logit x = inv_logit(-x)",
                 complement_of_inv_logit},
    SimplifyRule{"log_sum_exp_all", "two-log-sum-exp", "log_sum_exp [a, b] = log_sum_exp(a, b)",
                 two_log_sum_exp},
    SimplifyRule{"multiply_log", "multiply-log-known", "c log f(x), and 0 where c is",
                 multiply_log_known},
};
}  // namespace

std::span<const SimplifyRule> function_rules() { return kFunctionRules; }

}  // namespace credo::graph
