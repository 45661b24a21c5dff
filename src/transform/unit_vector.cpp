// Vectors of length one: x = y / |y|. The map loses a dimension; -|y|^2 / 2 takes the place of the
// log Jacobian and makes the length a chi variable with K degrees of freedom, independent of x
// [marsaglia1972].
#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::unit_vector_row {
namespace {

Constrained constrain(const Expr& free, const Shape& unit, const Bounds&) {
  const Expr y = free.reshaped(unit), squared = graph::dot(y, y);
  return {y / graph::sqrt(squared), -0.5 * squared};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(unit_vector, value, unit, bounds)) {
    return Unexpected{*broken};
  }
  return std::vector<double>(value.begin(), value.end());
}

void check(const Expr& value, const Shape&, const Bounds&, std::string_view variable,
           Checks& checks) {
  check_near(graph::dot(value, value), 1.0,
             {variable, "sum of the squared elements", "1 (within 1e-8)"}, checks);
}

void require(const Expr& free, const Bounds&, std::string_view variable, Checks& checks) {
  const graph::Requirement direction{variable, "squared length of the unconstrained vector",
                                     "positive and finite (it gives the direction)"};
  const Expr squared = graph::dot(free, free);
  checks.greater(squared, 0.0, direction);
  checks.finite(squared, direction);
}
}  // namespace

const Transform unit_vector{.name = "unit_vector",
                            .elementwise = false,
                            .free_size = [](const Shape& unit) { return unit.size(); },
                            .constrain = constrain,
                            .unconstrain = unconstrain,
                            .check = check,
                            .require = require,
                            .legal_shape = [](const Shape& unit) { return unit.size() >= 1; },
                            .reference = "marsaglia1972",
                            .renew = renew_length};

}  // namespace credo::transform::unit_vector_row
