// Requirements that a formula puts on its arguments, in words. Whoever traces says what becomes of
// a broken one: a lane's status in a program, a rejection where everything is known.
#pragma once
#include "graph/core/expr.hpp"

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
    if (is_masked()) return masked(credo::graph::less(bound, x), r);
    take(check_greater(x, bound, number(r)), r);
  }
  void greater_equal(const Expr& x, const Expr& bound, const Requirement& r) {
    if (is_masked()) return masked(credo::graph::less_equal(bound, x), r);
    take(check_greater_equal(x, bound, number(r)), r);
  }
  void less(const Expr& x, const Expr& bound, const Requirement& r) {
    if (is_masked()) return masked(credo::graph::less(x, bound), r);
    take(check_less(x, bound, number(r)), r);
  }
  void less_equal(const Expr& x, const Expr& bound, const Requirement& r) {
    if (is_masked()) return masked(credo::graph::less_equal(x, bound), r);
    take(check_less_equal(x, bound, number(r)), r);
  }
  void finite(const Expr& x, const Requirement& r) {
    if (is_masked()) return masked(credo::graph::less(abs(x), kInfinity), r);
    take(check_finite(x, number(r)), r);
  }
  void not_nan(const Expr& x, const Requirement& r) {
    if (is_masked()) return masked(equal(x, x), r);
    take(check_not_nan(x, number(r)), r);
  }

  // While it isn't empty, only points where it isn't 0 are judged.
  Expr mask;
  Index num_masked() const { return num_masked_; }  // nodes of such checks

 private:
  bool is_masked() const { return !mask.empty(); }
  void masked(const Expr& holds, const Requirement& r) {
    const Expr kept = select(mask, holds, 1.0);
    if (!kept.is_constant()) ++num_masked_;
    take(check_greater(kept, 0.5, number(r)), r);
  }
  virtual std::int32_t number(const Requirement& r) = 0;        // of a check node that says this
  virtual void failed(const Requirement& r, double value) = 0;  // known to be broken; may throw
  void take(std::optional<double> value, const Requirement& r) {
    if (value) failed(r, *value);
  }

  Index num_masked_ = 0;
};

}  // namespace credo::graph
