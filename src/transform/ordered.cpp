// Strictly increasing vectors: x_1 = y_1, x_k = x_(k-1) + exp(y_k); log Jacobian y_2 + ... + y_K.
#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::ordered_row {
namespace {

Constrained constrain(const Expr& free, const Shape& unit, const Bounds&) {
  const Index size = unit.size();
  if (size < 2) return {free.reshaped(unit), 0.0};
  const Expr steps = slice(free, 1, size - 1);
  const std::array<Expr, 2> parts{free.element(0), graph::exp(steps)};
  return {graph::cumulative_sum(graph::concat(unit, parts)), graph::sum(steps)};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(ordered, value, unit, bounds)) return Unexpected{*broken};
  std::vector<double> free(value.begin(), value.end());
  for (std::size_t k = 1; k < value.size(); ++k) free[k] = std::log(value[k] - value[k - 1]);
  return free;
}

void check(const Expr& value, const Shape& unit, const Bounds&, std::string_view variable,
           Checks& checks) {
  const Index size = unit.size();
  if (size < 2) return;
  checks.greater(slice(value, 1, size - 1), slice(value, 0, size - 1),
                 {variable, "an element", "greater than the one before it (ordered)"});
}
}  // namespace

const Transform ordered{.name = "ordered",
                        .elementwise = false,
                        .free_size = [](const Shape& unit) { return unit.size(); },
                        .constrain = constrain,
                        .unconstrain = unconstrain,
                        .check = check,
                        .renew = renew_order};

}  // namespace credo::transform::ordered_row
