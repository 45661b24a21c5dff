// Offset m and multiplier s, elementwise: x = m + s y, log Jacobian log s for each element. A
// change of variables only: every real number is a legal value.
#include "transform/parts.hpp"
#include "transform/rows.hpp"

namespace credo::transform::affine_row {
namespace {

Constrained constrain(const Expr& free, const Shape& unit, const Bounds& bounds) {
  Expr x = free.reshaped(unit);
  Expr log_jacobian = 0.0;
  if (!bounds.second.empty()) {
    x = bounds.second * x;
    log_jacobian = total(graph::log(bounds.second), unit.size());
  }
  if (!bounds.first.empty()) x = bounds.first + x;
  return {x, log_jacobian};
}

double at(const Expr& container, Index element, double absent) {
  if (container.empty()) return absent;
  return container.value(container.is_scalar() ? 0 : element);
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape&,
                                                const Bounds& bounds) {
  std::vector<double> free;
  for (Index e = 0; e < ssize(value); ++e) {
    const double x = value[static_cast<std::size_t>(e)];
    free.push_back((x - at(bounds.first, e, 0.0)) / at(bounds.second, e, 1.0));
  }
  return free;
}

void require(const Expr&, const Bounds& bounds, std::string_view variable, Checks& checks) {
  if (!bounds.first.empty()) checks.finite(bounds.first, {variable, "offset", "finite"});
  if (bounds.second.empty()) return;
  const graph::Requirement positive{variable, "multiplier", "positive and finite"};
  checks.greater(bounds.second, 0.0, positive);
  checks.finite(bounds.second, positive);
}
}  // namespace

const Transform affine{
    .name = "affine",
    .elementwise = true,
    .free_size = [](const Shape& unit) { return unit.size(); },
    .constrain = constrain,
    .unconstrain = unconstrain,
    .check = [](const Expr&, const Shape&, const Bounds&, std::string_view, Checks&) {},
    .require = require};

}  // namespace credo::transform::affine_row
