// A declared bound that the posterior leans against: without the bound, the density keeps
// rising beyond it. The program without the bound is evaluated, so a scale whose
// mode is 0, a probability near 1 or the rate of events that never happened are no findings: beyond
// their bounds there is no density. Draws only choose whom to ask: a distribution that falls from its bound
// like an exponential has 0.10 of its mass within a tenth of its mean distance, one that vanishes
// at the bound less than 0.02. A prior that ends at the bound, too, as uniform(0.75, 1) does, is the
// same assumption written twice: then only the likelihood is evaluated.
#include "diagnose/chains.hpp"
#include "verdict/findings.hpp"
#include "verdict/stream.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::at_bound_row {
namespace {
constexpr double kNearShare = 0.05;
constexpr std::array<double, 3> kBeyond{2.0, 5.0, 10.0};  // mean distances behind the bound
constexpr double kRise = 3.0;                             // nats: 20 times as dense
constexpr Index kDraws = 10;
constexpr Index kMostAsked = 20;
constexpr double kFar = 60.0;  // a logit or logarithm at which a bound is met, to rounding

struct Suspect {
  Index column;
  double bound;
  double distance;  // mean, of the draws; negative below an upper bound
};

// The declared bounds of an output: its limits as its unconstrained value goes to -infinity and infinity.
std::array<double, 2> bounds_of(const Case& at_hand, const Probe& probe, Index column) {
  const std::string& name = at_hand.columns[static_cast<std::size_t>(column)].name;
  const auto& names = probe.names();
  const auto found = std::find(names.begin(), names.end(), name);
  std::array<double, 2> bounds{-kInfinity, kInfinity};
  const auto* parameter =
      at_hand.evidence.program->find_parameter(at_hand.variable_of(column).name);
  if (found == names.end() || parameter == nullptr || !parameter->has_bounds()) return bounds;
  for (std::size_t side = 0; side < 2; ++side) {
    const density::RangeEnd& declared = side == 0 ? parameter->lower : parameter->upper;
    if (!declared.is_stated) continue;
    bounds[side] = declared.at;
    if (!std::isnan(declared.at)) continue;  // otherwise the limit of the unconstrained value
    std::vector<double> point = probe.point(0);
    const bool only_upper = !parameter->lower.is_stated;
    const double far = side == 0 || only_upper ? -kFar : kFar;
    point[static_cast<std::size_t>(found - names.begin())] = far;
    bounds[side] = parameter_at(at_hand.evidence, point, column);
  }
  return bounds;
}

std::optional<Suspect> suspect_at(const Case& at_hand, Index column, double bound) {
  if (!std::isfinite(bound)) return std::nullopt;
  const diagnose::ChainsCopy draws = at_hand.draws(column);
  const double mean = diagnose::mean(draws.values) - bound;
  const auto near = std::count_if(draws.values.begin(), draws.values.end(), [&](double x) {
    return std::fabs(x - bound) < 0.1 * std::fabs(mean);
  });
  if (static_cast<double>(near) < kNearShare * static_cast<double>(draws.values.size()))
    return std::nullopt;
  return Suspect{column, bound, mean};
}

// How much higher a density without the bound is behind it than at it; the middle of some draws.
// -infinity where it ends there.
double rise_beyond(const Case& at_hand, const Probe& probe, ParameterDensity density,
                   const Suspect& suspect) {
  const Variable& variable = at_hand.variable_of(suspect.column);
  std::vector<double> rises;
  const Index step = std::max<Index>(1, probe.num_points() / kDraws);
  for (Index m = 0; m < probe.num_points(); m += step) {
    std::vector<double> row = probe.row(m);
    double& value = probe.values_in(
        row, variable.name)[static_cast<std::size_t>(suspect.column - variable.first)];
    const auto at = [&](double x) {
      value = x;
      return density.at_row(row);
    };
    const double at_bound = at(suspect.bound + 0.01 * suspect.distance);
    double highest = -kInfinity;
    for (const double k : kBeyond)
      highest = std::max(highest, at(suspect.bound - k * suspect.distance));
    rises.push_back(highest - at_bound);
  }
  return diagnose::quantile(rises, 0.25);
}

double rise_without_bound(const Case& at_hand, const Probe& probe, const density::Model& relaxed,
                          const Suspect& suspect) {
  const double rise = rise_beyond(at_hand, probe, ParameterDensity(relaxed), suspect);
  constexpr density::Terms kLikelihood = density::Terms::likelihood;
  if (rise > -kInfinity) return rise;
  const density::ParameterInverse& inverse = relaxed.inverse().require(relaxed.name());
  if (!relaxed.can({.terms = kLikelihood}, inverse.unconstrain_row(probe.row(0))).can) return rise;
  return rise_beyond(at_hand, probe, ParameterDensity(relaxed, kLikelihood), suspect);
}

std::optional<Finding> ask(const Case& at_hand, const Probe& probe, const Suspect& suspect) {
  const Variable& variable = at_hand.variable_of(suspect.column);
  const auto text = at_hand.evidence.program->text_without_bounds(variable.name);
  if (!text || variable.dims.size() > 1) return std::nullopt;
  const auto relaxed = at_hand.evidence.remake(*text);
  if (relaxed == nullptr) return std::nullopt;
  const double rise = rise_without_bound(at_hand, probe, *relaxed, suspect);
  if (!(rise > kRise)) return std::nullopt;
  const Column& column = at_hand.columns[static_cast<std::size_t>(suspect.column)];
  const std::string side = suspect.distance > 0.0 ? "lower" : "upper";
  return Finding{
      .id = "at_bound",
      .level = Level::bad,
      .parameters = {column.name},
      .text = "The draws of " + column.name + " pile up at its declared " + side + " bound " +
              number(suspect.bound) + " (mean distance " + number(std::fabs(suspect.distance)) +
              "), and without that bound the density would keep rising beyond it, by a factor of " +
              number(std::exp(std::min(rise, 600.0))) +
              " or more. Data and constraint contradict each other.",
      .remedy =
          "If the bound is an assumption of yours, the data speak against it; if not, remove "
          "it. Other parameters, such as a noise scale, make up for it and are wrong, too.",
      .place = at_hand.place_of(suspect.column)};
}

std::vector<Finding> check(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || at_hand.evidence.program == nullptr || !at_hand.evidence.remake)
    return {};
  std::vector<Finding> findings;
  Index asked = 0;
  for (const Index k : at_hand.sampled) {
    for (const double bound : bounds_of(at_hand, *probe, k)) {
      const auto suspect = suspect_at(at_hand, k, bound);
      if (!suspect || ++asked > kMostAsked) continue;
      if (auto finding = ask(at_hand, *probe, *suspect)) findings.push_back(std::move(*finding));
    }
    if (!findings.empty()) break;
  }
  return findings;
}
}  // namespace

const FindingSpec at_bound{.id = "at_bound",
                           .title = "draws that pile up at a declared bound",
                           .explains = {"divergences", "low_energy_exchange", "tree_depth"},
                           .check = check};

}  // namespace credo::verdict::at_bound_row
