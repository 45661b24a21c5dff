#include "verdict/mass_gaps.hpp"

#include "diagnose/convergence.hpp"
#include "verdict/distribution_figures.hpp"
#include "verdict/located.hpp"
#include "verdict/marginal.hpp"
#include "verdict/stream.hpp"

namespace credo::verdict {
namespace {
constexpr Index kMostDimensions = 60;
constexpr std::size_t kMostCoordinates = 8;
constexpr Index kCostAlone = 300;  // evaluations, of one coordinate alone
// A gap is 4 standard errors, 3 where transitions diverged, and more than the distribution's own error.
// If the figures of the summary agree with the distribution, each within 4.4 of its own errors, it is 6:
// then the missing mass lies beyond the figures that are reported.
constexpr double kErrors = 4.0, kErrorsBesideDivergences = 3.0, kErrorsBesideFigures = 6.0;
constexpr double kFigureErrors = 4.4;  // a figure further off than 4.5 is called wrong
constexpr double kCovered =
    0.995;  // share of the draws within the distribution's range, to hold figures against it
constexpr double kLeast = 0.015, kLeastRelative = 0.25;
constexpr double kLeastShare = 0.003;  // least mass on either side of a value

// A share of few draws, or of chains that are in different places, has no standard error to hold a
// difference against; that is another finding.
constexpr Index kFewestDraws = 400;
constexpr double kDisagree = 1.3;  // R-hat

// A scalar coordinate whose draws are those of one output.
struct Coordinate {
  Index dimension, column;
};

// True if an output is a function of its own unconstrained value alone.
bool stands_alone(const Case& at_hand, Index column) {
  const auto* parameter =
      at_hand.evidence.program->find_parameter(at_hand.variable_of(column).name);
  if (parameter == nullptr) return false;
  return parameter->constraint == density::ConstraintKind::none ||
         (parameter->has_bounds() && parameter->lower.is_of_data && parameter->upper.is_of_data);
}

// Coordinates in the order of their checks: the location of divergences, then scales, then those that mix worst.
std::vector<Coordinate> coordinates(const Case& at_hand, const Probe& probe) {
  std::vector<Coordinate> all;
  for (const Index k : at_hand.sampled) {
    const auto& names = probe.names();
    const auto found =
        std::find(names.begin(), names.end(), at_hand.columns[static_cast<std::size_t>(k)].name);
    if (found != names.end() && stands_alone(at_hand, k)) all.push_back({found - names.begin(), k});
  }
  const std::vector<double>& marks = at_hand.statistic("divergent");
  const Index divergent = num_marked(marks) > 0 ? located(at_hand, marks).column : -1;
  const auto rank = [&](const Coordinate& c) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(c.column)];
    const bool is_scale = probe.reach(c.dimension) == Reach::exponential;
    return std::tuple(c.column != divergent, !is_scale,
                      std::isnan(column.ess_tail) ? kInfinity : column.ess_tail);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Coordinate& a, const Coordinate& b) { return rank(a) < rank(b); });
  return all;
}

// The share of draws at most a value among those within a range.
double share_below(const diagnose::Chains& draws, double value, double low, double high) {
  double inside = 0.0, below = 0.0;
  for (const double x : draws.values) {
    if (!(x >= low && x <= high)) continue;
    inside += 1.0;
    below += x <= value ? 1.0 : 0.0;
  }
  return below / inside;
}

// Standard error of a share of the draws, where the density gives `by_density`.
double error_of_share(const diagnose::Chains& draws, double share, double by_density,
                      double ess_bulk) {
  const double rank = std::clamp(share, 0.02, 0.98);
  const double ess = std::fmin(diagnose::ess_quantile(draws, rank), ess_bulk);
  const double mean = (share + by_density) / 2.0;
  return std::sqrt(mean * (1.0 - mean) / std::max(ess, 1.0));
}

bool has_errors(const Case& at_hand, Index column) {
  return at_hand.num_total() >= kFewestDraws &&
         !(at_hand.columns[static_cast<std::size_t>(column)].r_hat > kDisagree);
}

// The output, a parameter, at each value of the distribution's grid.
std::vector<double> outputs_on(const Case& at_hand, const Marginal& distribution, Index column) {
  std::vector<double> values;
  for (const std::vector<double>& point : distribution.points)
    values.push_back(parameter_at(at_hand.evidence, point, column));
  return values;
}

std::optional<MassGap> gap_of(const diagnose::Chains& draws, const Marginal& distribution,
                              std::span<const double> values, Index column, double errors) {
  const bool rises = values.front() < values.back();
  const auto [low, high] = std::minmax(values.front(), values.back());
  MassGap worst{.column = column};
  const double ess_bulk = diagnose::ess_bulk(draws);
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    const double mass = rises ? distribution.mass[k] : 1.0 - distribution.mass[k];
    const double side = std::min(mass, 1.0 - mass);
    if (side < kLeastShare) continue;
    const double share = share_below(draws, values[k], low, high);
    const double gap = std::fabs(share - mass);
    if (!(gap > kLeast + kLeastRelative * side)) continue;
    const double error = error_of_share(draws, share, mass, ess_bulk);
    if (gap > errors * error && gap / error > worst.errors)
      worst = {column, values[k], mass, share, gap / error};
  }
  return worst.errors > 0.0 ? std::optional(worst) : std::nullopt;
}

double share_within(const diagnose::Chains& draws, std::span<const double> values) {
  const auto [low, high] = std::minmax(values.front(), values.back());
  const auto count = std::count_if(draws.values.begin(), draws.values.end(),
                                   [&](double x) { return x >= low && x <= high; });
  return static_cast<double>(count) / static_cast<double>(draws.values.size());
}

// A coordinate whose distribution the density gave, with the output's values on its grid.
struct Asked {
  Coordinate coordinate;
  Marginal distribution;
  std::vector<double> values;
};

// Outputs without constraint, whose coordinates are themselves.
std::vector<std::pair<Index, double>> differences_of_others(const Case& at_hand, const Asked& asked,
                                                            std::span<const Coordinate> all) {
  std::vector<Coordinate> others;
  std::vector<Index> columns;
  for (const Coordinate& c : all)
    if (c.dimension != asked.coordinate.dimension &&
        at_hand.probe()->reach(c.dimension) == Reach::linear)
      others.push_back(c), columns.push_back(c.column);
  std::vector<std::pair<Index, double>> differences(others.size());
  at_hand.each_column(columns, [&](std::size_t k, const diagnose::Chains& draws) {
    const auto dimension = static_cast<std::size_t>(others[k].dimension);
    differences[k] = {others[k].column,
                      largest_difference(draws, figures_of_other(asked.distribution, dimension))};
  });
  return differences;
}

// Result from the draws of the coordinate alone.
MassCheck check_of(const diagnose::Chains& draws, const Asked& asked, bool diverged) {
  MassCheck check{.column = asked.coordinate.column};
  const double covered = share_within(draws, asked.values);
  if (covered >= kCovered) {
    const DistributionFigures figures = figures_of(asked.distribution, asked.values);
    check.difference = largest_difference(draws, figures);
    check.sd_by_density = figures.sd;
    if (covered == 1.0) check.missing_spread = missing_spread(draws, figures);
  }
  const double errors = check.difference <= kFigureErrors ? kErrorsBesideFigures
                        : diverged                        ? kErrorsBesideDivergences
                                                          : kErrors;
  check.gap = gap_of(draws, asked.distribution, asked.values, check.column, errors);
  return check;
}
}  // namespace

std::vector<MassCheck> check_masses(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  std::vector<MassCheck> checks;
  if (probe == nullptr || probe->dimension() > kMostDimensions ||
      at_hand.evidence.program == nullptr)
    return checks;
  const bool diverged = num_marked(at_hand.statistic("divergent")) > 0;
  const Index cost = probe->dimension() == 1 ? kCostAlone : 40 * (4 * probe->dimension() + 20);
  std::size_t num_asked = 0;
  std::vector<Asked> asked;
  const std::vector<Coordinate> all = coordinates(at_hand, *probe);
  for (const Coordinate& c : all) {
    if (probe->budget() < cost || num_asked >= kMostCoordinates) break;
    if (!has_errors(at_hand, c.column)) continue;
    ++num_asked;
    if (auto distribution = marginal_of(*probe, c.dimension)) {
      std::vector<double> values = outputs_on(at_hand, *distribution, c.column);
      asked.push_back({c, std::move(*distribution), std::move(values)});
    }
  }
  std::vector<Index> columns;
  for (const Asked& one : asked) columns.push_back(one.coordinate.column);
  checks.resize(asked.size());
  at_hand.each_column(columns, [&](std::size_t k, const diagnose::Chains& draws) {
    checks[k] = check_of(draws, asked[k], diverged);
  });
  for (std::size_t k = 0; k < checks.size(); ++k)
    if (diverged && !std::isnan(checks[k].sd_by_density))
      checks[k].others = differences_of_others(at_hand, asked[k], all);
  return checks;
}

bool is_cleared(const Case& at_hand, Index column) {
  const std::vector<MassCheck>& checks = at_hand.mass_checks();
  return std::any_of(checks.begin(), checks.end(), [&](const MassCheck& check) {
    return check.column == column && !check.gap && check.difference <= kFigureErrors;
  });
}

bool are_all_cleared(const Case& at_hand) {
  const std::vector<MassCheck>& checks = at_hand.mass_checks();
  const auto agrees = [](double difference) { return difference <= kFigureErrors; };
  const auto is_known = [&](Index column) {
    return is_cleared(at_hand, column) ||
           std::any_of(checks.begin(), checks.end(), [&](const MassCheck& check) {
             return std::any_of(check.others.begin(), check.others.end(), [&](const auto& other) {
               return other.first == column && agrees(other.second);
             });
           });
  };
  return std::all_of(checks.begin(), checks.end(),
                     [&](const MassCheck& check) { return is_cleared(at_hand, check.column); }) &&
         std::all_of(at_hand.sampled.begin(), at_hand.sampled.end(), is_known);
}

}  // namespace credo::verdict
