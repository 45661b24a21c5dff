#include "verdict/rotation.hpp"

namespace credo::verdict {
namespace {
constexpr double kAngle = 0.7;
constexpr Index kTurnedDraws = 4;
constexpr double kSameTurned = 1e-9;  // relative difference of the log density
constexpr Index kMostFactors = 8;
constexpr std::size_t kMostMatrices = 4;

// A matrix, or an array of vectors: places of its elements among the unconstrained values.
struct FreeMatrix {
  const Variable* variable = nullptr;
  std::vector<std::size_t> coordinates = {};  // the first index fastest
  Index size(std::size_t axis) const { return variable->dims[axis]; }
};

std::vector<FreeMatrix> matrices_of(const Case& at_hand, const Probe& probe) {
  std::vector<FreeMatrix> all;
  for (const Variable& variable : at_hand.evidence.variables) {
    const auto* parameter = at_hand.evidence.program->find_parameter(variable.name);
    if (!variable.sampled || parameter == nullptr || variable.dims.size() != 2 ||
        parameter->constraint != density::ConstraintKind::none)
      continue;
    FreeMatrix here{.variable = &variable};
    for (Index k = variable.first; k < variable.first + variable.count; ++k) {
      const std::string& name = at_hand.columns[static_cast<std::size_t>(k)].name;
      const auto found = std::find(probe.names().begin(), probe.names().end(), name);
      if (found != probe.names().end())
        here.coordinates.push_back(static_cast<std::size_t>(found - probe.names().begin()));
    }
    if (ssize(here.coordinates) == variable.count) all.push_back(std::move(here));
  }
  return all;
}

// Matrices that turn together: the axis of each, 0 for rows, 1 for columns; -1: it doesn't turn.
using Turns = std::vector<int>;

// In the plane of the first and the last factor.
std::vector<double> turned(std::vector<double> point, std::span<const FreeMatrix> all,
                           const Turns& turns) {
  const double c = std::cos(kAngle), s = std::sin(kAngle);
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (turns[v] < 0) continue;
    const Index rows = all[v].size(0), columns = all[v].size(1);
    const Index others = turns[v] == 0 ? columns : rows;
    for (Index k = 0; k < others; ++k) {
      const Index first = turns[v] == 0 ? k * rows : k;
      const Index last = turns[v] == 0 ? k * rows + rows - 1 : (columns - 1) * rows + k;
      double& x = point[all[v].coordinates[static_cast<std::size_t>(first)]];
      double& y = point[all[v].coordinates[static_cast<std::size_t>(last)]];
      const double x0 = x, y0 = y;
      x = c * x0 - s * y0, y = s * x0 + c * y0;
    }
  }
  return point;
}

bool leaves_the_density(const Probe& probe, std::span<const FreeMatrix> all, const Turns& turns) {
  for (Index k = 0; k < kTurnedDraws; ++k) {
    const std::vector<double>& point =
        probe.point(k * (probe.num_points() - 1) / (kTurnedDraws - 1));
    const double here = probe.log_density(point);
    const double there = probe.log_density(turned(point, all, turns));
    if (!(std::fabs(there - here) < kSameTurned * (1.0 + std::fabs(here)))) return false;
  }
  return true;
}

// False for matrices on which the likelihood doesn't depend: turning them shows nothing.
bool matters(const Probe& probe, std::span<const FreeMatrix> all, const Turns& turns) {
  if (!probe.has_likelihood()) return false;
  std::vector<double> grown = probe.point(0);
  for (std::size_t v = 0; v < all.size(); ++v)
    if (turns[v] >= 0)
      for (const std::size_t d : all[v].coordinates) grown[d] *= 1.5;
  const double here = probe.log_likelihood(probe.point(0));
  return std::fabs(probe.log_likelihood(grown) - here) > 1e-6 * (1.0 + std::fabs(here));
}

// All ways to turn matrices that have so many factors along one axis, the fewest matrices first.
std::vector<Turns> turns_of(std::span<const FreeMatrix> all, Index factors) {
  std::vector<Turns> sets{{}};
  for (const FreeMatrix& matrix : all) {
    std::vector<Turns> longer;
    for (const Turns& set : sets)
      for (int axis = -1; axis < 2; ++axis) {
        if (axis >= 0 && matrix.size(static_cast<std::size_t>(axis)) != factors) continue;
        longer.push_back(set);
        longer.back().push_back(axis);
      }
    sets = std::move(longer);
  }
  const auto count = [](const Turns& set) {
    return std::count_if(set.begin(), set.end(), [](int axis) { return axis >= 0; });
  };
  std::erase_if(sets, [&](const Turns& set) { return count(set) == 0; });
  std::stable_sort(sets.begin(), sets.end(),
                   [&](const Turns& a, const Turns& b) { return count(a) < count(b); });
  return sets;
}
}  // namespace

std::optional<Rotation> rotation_of(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || at_hand.evidence.program == nullptr) return std::nullopt;
  const std::vector<FreeMatrix> all = matrices_of(at_hand, *probe);
  if (all.empty() || all.size() > kMostMatrices) return std::nullopt;
  for (Index factors = 2; factors <= kMostFactors; ++factors)
    for (const Turns& turns : turns_of(all, factors)) {
      if (!leaves_the_density(*probe, all, turns) || !matters(*probe, all, turns)) continue;
      Rotation rotation;
      for (std::size_t v = 0; v < all.size(); ++v)
        if (turns[v] >= 0) rotation.variables.push_back(all[v].variable->name);
      return rotation;
    }
  return std::nullopt;
}

}  // namespace credo::verdict
