// All sets of variables are tried, the smallest first; the density at a draw rules most of them out
// by one evaluation.
#include "verdict/mirror.hpp"

namespace credo::verdict {
namespace {
constexpr std::size_t kMostVariables = 6;
constexpr Index kDraws = 4;
constexpr double kSame = 1e-9;  // relative difference of the log density
constexpr double kFar = 3.0;    // standard deviations from 0

struct Signed {
  const Variable* variable = nullptr;
  std::vector<std::size_t> coordinates = {};
};

std::vector<Signed> without_constraint(const Case& at_hand, const Probe& probe) {
  std::vector<Signed> all;
  for (const Variable& variable : at_hand.evidence.variables) {
    const auto* parameter = at_hand.evidence.program->find_parameter(variable.name);
    if (!variable.sampled || parameter == nullptr ||
        parameter->constraint != density::ConstraintKind::none)
      continue;
    Signed here{.variable = &variable};
    for (std::size_t d = 0; d < probe.names().size(); ++d)
      if (probe.names()[d].substr(0, probe.names()[d].find('.')) == variable.name)
        here.coordinates.push_back(d);
    all.push_back(std::move(here));
  }
  return all;
}

// The element that lies furthest from 0 of those that have one sign; -1: none far enough.
Index one_sided(const Case& at_hand, const Variable& variable) {
  Index furthest = -1;
  double distance = kFar;
  for (Index k = variable.first; k < variable.first + variable.count; ++k) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    const bool has_one_sign = column.lowest > 0.0 || column.highest < 0.0;
    if (column.constant || !has_one_sign || !(std::fabs(column.mean) > distance * column.sd))
      continue;
    distance = std::fabs(column.mean) / column.sd, furthest = k;
  }
  return furthest;
}

bool is_symmetric(const Probe& probe, std::span<const Signed> all, std::size_t set) {
  const Index step = std::max<Index>(1, probe.num_points() / kDraws);
  for (Index m = 0; m < probe.num_points(); m += step) {
    std::vector<double> at = probe.point(m);
    for (std::size_t v = 0; v < all.size(); ++v)
      if ((set >> v) & 1u)
        for (const std::size_t d : all[v].coordinates) at[d] = -at[d];
    const double here = probe.log_density(probe.point(m));
    if (!(std::fabs(probe.log_density(at) - here) < kSame * (1.0 + std::fabs(here)))) return false;
  }
  return true;
}

// The furthest of its variables' elements.
Mirror mirror_by(const Case& at_hand, std::span<const Signed> all, std::size_t set) {
  Mirror mirror;
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (!((set >> v) & 1u)) continue;
    mirror.variables.push_back(all[v].variable->name);
    if (mirror.column < 0) mirror.column = one_sided(at_hand, *all[v].variable);
  }
  return mirror;
}
}  // namespace

std::optional<Mirror> mirror_of(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || at_hand.evidence.program == nullptr) return std::nullopt;
  const std::vector<Signed> all = without_constraint(at_hand, *probe);
  if (all.empty() || all.size() > kMostVariables) return std::nullopt;
  std::vector<std::size_t> sets((std::size_t{1} << all.size()) - 1);
  std::iota(sets.begin(), sets.end(), std::size_t{1});
  std::stable_sort(sets.begin(), sets.end(), [](std::size_t a, std::size_t b) {
    return std::popcount(a) < std::popcount(b);
  });
  for (const std::size_t set : sets) {
    Mirror mirror = mirror_by(at_hand, all, set);
    if (mirror.column >= 0 && is_symmetric(*probe, all, set)) return mirror;
  }
  return std::nullopt;
}

}  // namespace credo::verdict
