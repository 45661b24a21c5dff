// Vectors of K elements that sum to zero, from N = K - 1 unconstrained values: x = V y with the orthonormal
// columns v_i = (1, ..., 1 [i times], -i, 0, ...) / sqrt(i (i + 1)), so the log Jacobian is 0.
//
// With w_i = y_i / sqrt(i (i + 1)): x_i = (w_i + ... + w_N) - (i - 1) w_(i-1), in O(K).
// Inverse: y_i = (x_1 + ... + x_i - i x_(i+1)) / sqrt(i (i + 1)).
#include "transform/parts.hpp"
#include "transform/parts_rounded.hpp"
#include "transform/rows.hpp"

namespace credo::transform::sum_to_zero_vector_row {
namespace {

double scale_of(Index i) {
  return 1.0 / std::sqrt(static_cast<double>(i) * static_cast<double>(i + 1));
}

// 1 / sqrt(i (i + 1)), times i if `times_i`; i = 1 .. count.
Expr scales(Index count, bool times_i) {
  std::vector<double> values;
  for (Index i = 1; i <= count; ++i) {
    values.push_back(times_i ? static_cast<double>(i) * scale_of(i) : scale_of(i));
  }
  return graph::constant(graph::vector_shape(count), values);
}

Expr sum_from_here_on(const Expr& x) {
  const Index size = x.size();
  const Expr running = graph::cumulative_sum(slice(x, size - 1, size, -1));
  return slice(running, size - 1, size, -1);
}

Constrained constrain(const Expr& free, const Shape& unit, const Bounds&) {
  const Index count = unit.size() - 1;
  if (count == 0) return {graph::fill(unit, 0.0), 0.0};
  const Expr y = free.reshaped(graph::vector_shape(count));
  const std::array<Expr, 2> ahead{sum_from_here_on(y * scales(count, false)), 0.0};
  const std::array<Expr, 2> behind{0.0, y * scales(count, true)};
  return {graph::concat(unit, ahead) - graph::concat(unit, behind), 0.0};
}

Result<std::vector<double>, Broken> unconstrain(std::span<const double> value, const Shape& unit,
                                                const Bounds& bounds) {
  if (const auto broken = first_broken(sum_to_zero_vector, value, unit, bounds)) {
    return Unexpected{*broken};
  }
  std::vector<double> free;
  double sum = 0.0;
  for (std::size_t i = 1; i < value.size(); ++i) {
    sum += value[i - 1];
    free.push_back((sum - static_cast<double>(i) * value[i]) * scale_of(static_cast<Index>(i)));
  }
  return free;
}

void check(const Expr& value, const Shape&, const Bounds&, std::string_view variable,
           Checks& checks) {
  check_near(graph::sum(value), 0.0, {variable, "sum of the elements", "0 (within 1e-8)"}, checks);
}
}  // namespace

const Transform sum_to_zero_vector{
    .name = "sum_to_zero_vector",
    .elementwise = false,
    .free_size = [](const Shape& unit) { return unit.size() - 1; },
    .constrain = constrain,
    .unconstrain = unconstrain,
    .check = check,
    .legal_shape = [](const Shape& unit) { return unit.size() >= 1; },
    .reference = "egozcue2003",
    .renew = renew_zero_sum};

}  // namespace credo::transform::sum_to_zero_vector_row
