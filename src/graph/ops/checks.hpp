// Requirements that a formula puts on its arguments, in words. The tracer decides the effect of
// a broken one: a lane's status in a program, a rejection if everything is known.
#pragma once
#include "graph/core/gates.hpp"

namespace credo::graph {

// "normal_lpdf: scale parameter is -1.3, but must be positive finite"
struct Requirement {
  std::string_view function;  // "normal_lpdf"
  std::string_view argument;  // "scale parameter"
  std::string_view rule;      // "positive finite"; the sentence is "... is VALUE, but must be RULE"
};

class Checks {
 public:
  virtual ~Checks() = default;

  // Each states that every element of x keeps the rule. Scalars repeat against containers.
  void greater(const Expr& x, const Expr& bound, const Requirement& r) {
    judge({check_greater, 1.0}, x, bound, r);
  }
  void greater_equal(const Expr& x, const Expr& bound, const Requirement& r) {
    judge({check_greater_equal, 1.0}, x, bound, r);
  }
  void less(const Expr& x, const Expr& bound, const Requirement& r) {
    judge({check_less, -1.0}, x, bound, r);
  }
  void less_equal(const Expr& x, const Expr& bound, const Requirement& r) {
    judge({check_less_equal, -1.0}, x, bound, r);
  }
  void finite(const Expr& x, const Requirement& r) { judge(check_finite, x, r); }
  void not_nan(const Expr& x, const Requirement& r) { judge(check_not_nan, x, r); }

  // If it isn't empty, checks apply only to points where it isn't 0.
  Expr mask;
  Index num_masked() const { return num_masked_; }          // number of check nodes with a mask
  void count_masked(Index nodes) { num_masked_ += nodes; }  // masked check nodes added elsewhere

 private:
  using Single = std::optional<double> (*)(const Expr& x, std::int32_t check);
  struct Pair {
    std::optional<double> (*check)(const Expr& x, const Expr& bound, std::int32_t check);
    double good;  // a value that keeps the rule with bound 0
  };

  void judge(Pair rule, const Expr& x, const Expr& bound, const Requirement& r) {
    const std::int32_t check = number(r);
    if (mask.empty()) return take(rule.check(x, bound, check), r);
    const bool known = x.is_constant() && bound.is_constant();
    if (known && !rule.check(x, bound, check)) return;
    const Gates::Open open(mask.graph());
    ++num_masked_;
    take(rule.check(select(mask, x, rule.good), select(mask, bound, 0.0), check), r);
  }
  void judge(Single rule, const Expr& x, const Requirement& r) {
    const std::int32_t check = number(r);
    if (mask.empty()) return take(rule(x, check), r);
    if (x.is_constant() && !rule(x, check)) return;
    const Gates::Open open(mask.graph());
    ++num_masked_;
    take(rule(select(mask, x, 0.0), check), r);
  }
  virtual std::int32_t number(const Requirement& r) = 0;        // number of a check node for r
  virtual void failed(const Requirement& r, double value) = 0;  // known to be broken; may throw
  void take(std::optional<double> value, const Requirement& r) {
    if (value) failed(r, *value);
  }

  Index num_masked_ = 0;
};

}  // namespace credo::graph
