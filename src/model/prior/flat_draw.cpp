#include "model/prior/flat_draw.hpp"

#include "base/error.hpp"
#include "dist/distribution.hpp"
#include "model/prior/prior_run.hpp"

namespace credo::model {
namespace {

// Between the bounds of an element; infinite where one is absent.
double length(const transform::Bounds& bounds, Index i) {
  return transform::bound_at(bounds.second, i, kInfinity) -
         transform::bound_at(bounds.first, i, -kInfinity);
}

bool is_bounded(const transform::Bounds& bounds, Index size) {
  for (Index i = 0; i < size; ++i)
    if (!std::isfinite(length(bounds, i))) return false;
  return true;
}

// Uniform on the simplex: the shares of independent exponential numbers.
std::vector<double> draw_simplex(const graph::Shape& unit, Rng& rng) {
  std::vector<double> x(static_cast<std::size_t>(unit.size()));
  for (double& value : x) value = rng.exponential();
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  for (double& value : x) value /= sum;
  return x;
}

// Each column, or each row, a simplex of its own. Column-major.
std::vector<double> draw_stochastic(const graph::Shape& unit, Rng& rng, bool by_columns) {
  const Index num_lines = by_columns ? unit.cols : unit.rows, length = unit.size() / num_lines;
  std::vector<double> x(static_cast<std::size_t>(unit.size()));
  for (Index k = 0; k < num_lines; ++k) {
    const std::vector<double> line = draw_simplex(graph::vector_shape(length), rng);
    for (Index i = 0; i < length; ++i)
      x[static_cast<std::size_t>(by_columns ? k * length + i : k + i * num_lines)] =
          line[static_cast<std::size_t>(i)];
  }
  return x;
}

std::vector<double> draw_correlations(const graph::Shape& unit, Rng& rng) {
  const std::vector<graph::Expr> arguments{static_cast<double>(unit.rows), 1.0};
  return dist::find("lkj_corr")->draw_all(rng, arguments);
}

// The volume is that of the elements below the diagonal: row k lies in a ball of k - 1 dimensions,
// uniformly. Column-major.
std::vector<double> draw_correlation_factor(const graph::Shape& unit, Rng& rng) {
  const Index size = unit.rows;
  std::vector<double> x(static_cast<std::size_t>(unit.size()), 0.0);
  for (Index k = 0; k < size; ++k) {
    std::vector<double> z(static_cast<std::size_t>(k));
    double squares = 0.0;
    for (double& value : z) value = rng.normal(), squares += value * value;
    // In a ball: normal numbers over the root of their squares and twice an exponential number.
    const double radius = std::sqrt(squares + 2.0 * rng.exponential());
    double rest = 1.0;
    for (Index j = 0; j < k; ++j) {
      const double value = z[static_cast<std::size_t>(j)] / radius;
      x[static_cast<std::size_t>(k + j * size)] = value;
      rest -= value * value;
    }
    x[static_cast<std::size_t>(k + k * size)] = std::sqrt(rest);
  }
  return x;
}

std::vector<double> draw_unit(std::string_view constraint, const graph::Shape& unit, Rng& rng) {
  if (constraint == "simplex") return draw_simplex(unit, rng);
  if (constraint == "column_stochastic_matrix") return draw_stochastic(unit, rng, true);
  if (constraint == "row_stochastic_matrix") return draw_stochastic(unit, rng, false);
  if (constraint == "corr_matrix") return draw_correlations(unit, rng);
  if (constraint == "cholesky_factor_corr") return draw_correlation_factor(unit, rng);
  return {};
}

FlatDraw draw_units(const lang::ConstraintPlan& plan, Rng& rng, std::span<double> free) {
  for (Index k = 0; k < plan.num_units; ++k) {
    const std::vector<double> unit = draw_unit(plan.transform->name, plan.unit, rng);
    if (unit.empty()) return {.is_possible = false};
    const auto own = plan.transform->unconstrain(unit, plan.unit, plan.bounds);
    if (!own.has_value()) return {.is_possible = false};
    std::copy(own->begin(), own->end(), free.begin());
    free = free.subspan(own->size());
  }
  return {.is_whole = true};
}
}  // namespace

FlatDraw draw_flat(const lang::ConstraintPlan& plan, Uniforms& uniforms, std::span<double> free) {
  if (free.empty()) return {};
  if (plan.transform == nullptr) return {.is_possible = false};
  if (is_bounded(plan.bounds, ssize(free)) && plan.transform->name == "bounds") {
    for (double& x : free) {
      const double u = uniforms.next();
      x = std::log(u) - std::log1p(-u);
    }
    return {};
  }
  Rng* rng = uniforms.rng();
  if (rng == nullptr) return {.is_whole = true};
  if (plan.transform->name != "unit_vector") return draw_units(plan, *rng, free);
  for (double& x : free) x = rng->normal();
  return {.is_whole = true};
}

double log_volume(const lang::ConstraintPlan& plan) {
  if (plan.transform == nullptr || plan.transform->name != "bounds") return 0.0;
  double sum = 0.0;
  for (Index i = 0; i < lang::free_size(plan); ++i) sum += std::log(length(plan.bounds, i));
  return sum;
}

}  // namespace credo::model
