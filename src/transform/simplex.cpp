// Vectors of K non-negative elements that sum to one: x = softmax(z) with z the sum-to-zero vector
// of the K - 1 unconstrained values (the isometric log ratio [egozcue2003]).
//
// log Jacobian, with respect to the first K - 1 elements: sum_k log x_k + log(K) / 2
// = -K log_sum_exp(z) + log(K) / 2, because z sums to zero.
#include <fmt/format.h>

#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::simplex_row {
namespace {

Constrained constrain(const Expr& free, const Shape& unit, const Bounds& none) {
  const auto size = static_cast<double>(unit.size());
  if (unit.size() == 1) return {graph::fill(unit, 1.0), 0.0};
  const Expr z = sum_to_zero_vector.constrain(free, unit, none).value;
  const Expr norm = graph::log_sum_exp(z);
  return {graph::exp(z - norm), 0.5 * std::log(size) - size * norm};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(simplex, value, unit, bounds)) return Unexpected{*broken};
  double mean = 0.0;
  std::vector<double> logs;
  for (const double x : value) {
    if (x == 0.0) {
      return Unexpected{fmt::format(
          "element {} is 0, but must be positive to have an unconstrained value", ssize(logs) + 1)};
    }
    logs.push_back(std::log(x));
    mean += logs.back() / static_cast<double>(value.size());
  }
  for (double& x : logs) x -= mean;
  logs.back() = -std::accumulate(logs.begin(), logs.end() - 1, 0.0);  // rest from rounding
  return sum_to_zero_vector.unconstrain(logs, unit, bounds);
}

void check(const Expr& value, const Shape&, const Bounds&, std::string_view variable,
           Checks& checks) {
  checks.greater_equal(value, 0.0, {variable, "an element", "at least 0"});
  check_near(graph::sum(value), 1.0, {variable, "sum of the elements", "1 (within 1e-8)"}, checks);
}
}  // namespace

const Transform simplex{.name = "simplex",
                        .elementwise = false,
                        .free_size = [](const Shape& unit) { return unit.size() - 1; },
                        .constrain = constrain,
                        .unconstrain = unconstrain,
                        .check = check,
                        .legal_shape = [](const Shape& unit) { return unit.size() >= 1; },
                        .reference = "egozcue2003",
                        .renew = renew_sum};

}  // namespace credo::transform::simplex_row
