// Strictly increasing vectors of positive numbers: x_1 = exp(y_1), x_k = x_(k-1) + exp(y_k); log
// Jacobian y_1 + ... + y_K.
#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::positive_ordered_row {
namespace {

Constrained constrain(const Expr& free, const Shape& unit, const Bounds&) {
  return {graph::cumulative_sum(graph::exp(free.reshaped(unit))), graph::sum(free)};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(positive_ordered, value, unit, bounds)) {
    return Unexpected{*broken};
  }
  std::vector<double> free;
  double before = 0.0;
  for (const double x : value) {
    free.push_back(std::log(x - before));
    before = x;
  }
  return free;
}

void check(const Expr& value, const Shape& unit, const Bounds& none, std::string_view variable,
           Checks& checks) {
  if (unit.size() == 0) return;
  checks.greater_equal(value.element(0), 0.0, {variable, "the first element", "at least 0"});
  ordered.check(value, unit, none, variable, checks);
}
}  // namespace

const Transform positive_ordered{.name = "positive_ordered",
                                 .elementwise = false,
                                 .free_size = [](const Shape& unit) { return unit.size(); },
                                 .constrain = constrain,
                                 .unconstrain = unconstrain,
                                 .check = check,
                                 .renew = renew_order};

}  // namespace credo::transform::positive_ordered_row
