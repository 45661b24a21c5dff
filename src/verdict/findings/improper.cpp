// A density that doesn't fall off, so that a posterior doesn't exist. Certain if it can be evaluated: if
// with all else held the integral over one coordinate diverges at every draw that is tried, the
// whole integral does. So it does where the density stays as high in one direction from every draw
// that is tried, since it then does from all around them. So does that of a density that ends only
// where exp() over- or underflows, and is as high there as at the draws. From draws alone: chains
// that disagree on where they are, at values no scale of a model has.
#include "diagnose/chains.hpp"
#include "verdict/findings.hpp"
#include "verdict/located.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::improper_row {
namespace {
constexpr double kNoTail = 1e-4;  // an order of at most this; no proper density in use has one
constexpr double kAstronomical = 1e8, kDisagree = 1.2;
constexpr double kBreaksOff = 0.02;  // share of the transitions that overflowed
constexpr double kAsHigh = 3.0;      // nats
constexpr Index kDrawsAsked = 4, kMostCoordinates = 50;
constexpr double kImpossible = 1e100;  // no proper distribution in use gets there

struct Flat {
  Index coordinate;
  bool both_sides;  // flat, otherwise rising or constant on one side
};

std::vector<Flat> flat_coordinates(const Case& at_hand) {
  std::vector<Flat> flat;
  const std::vector<TailOrder>& orders = at_hand.tail_orders();
  for (std::size_t d = 0; d < orders.size(); ++d)
    if (orders[d].least() <= kNoTail)
      flat.push_back(
          {static_cast<Index>(d), std::max(orders[d].lower, orders[d].upper) <= kNoTail});
  return flat;
}

// ---- along a direction in which the draws run off together, as coefficients do that separate
// classes only jointly

// The direction in which the draws spread most, in spreads of each coordinate; 0 for those with a bound.
std::vector<double> widest_direction(const Probe& probe) {
  constexpr int kSteps = 30;
  const auto n = static_cast<std::size_t>(probe.dimension());
  std::vector<double> centre(n, 0.0), direction(n, 0.0);
  for (Index m = 0; m < probe.num_points(); ++m)
    for (std::size_t d = 0; d < n; ++d)
      centre[d] += probe.point(m)[d] / static_cast<double>(probe.num_points());
  const auto place = [&](Index m, std::size_t d) {
    const Index k = static_cast<Index>(d);
    if (probe.reach(k) != Reach::linear || !(probe.scale(k) > 0.0)) return 0.0;
    return (probe.point(m)[d] - centre[d]) / probe.scale(k);
  };
  for (std::size_t d = 0; d < n; ++d) direction[d] = place(0, d);
  for (int step = 0; step < kSteps; ++step) {  // the power method
    std::vector<double> next(n, 0.0);
    for (Index m = 0; m < probe.num_points(); ++m) {
      double along = 0.0;
      for (std::size_t d = 0; d < n; ++d) along += place(m, d) * direction[d];
      for (std::size_t d = 0; d < n; ++d) next[d] += along * place(m, d);
    }
    const double size = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    if (!(size > 0.0)) return std::vector<double>(n, 0.0);
    for (std::size_t d = 0; d < n; ++d) direction[d] = next[d] / size;
  }
  return direction;
}

// True if the density stays as high from a draw on, a million spreads away.
bool stays_high(const Probe& probe, Index m, std::span<const double> direction, double sign) {
  constexpr std::array<double, 3> kDistances{1e2, 1e4, 1e6};
  const double here = probe.log_density(probe.point(m));
  return std::all_of(kDistances.begin(), kDistances.end(), [&](double distance) {
    std::vector<double> at = probe.point(m);
    for (std::size_t d = 0; d < at.size(); ++d)
      at[d] += sign * distance * direction[d] * probe.scale(static_cast<Index>(d));
    return probe.log_density(at) > here - kAsHigh;
  });
}

void add_common_direction(const Probe& probe, std::vector<Flat>& flat) {
  constexpr double kInvolved = 0.3;  // share of the largest component
  const std::vector<double> direction = widest_direction(probe);
  double largest = 0.0;
  for (const double part : direction) largest = std::max(largest, std::fabs(part));
  if (largest == 0.0) return;
  const Index step = std::max<Index>(1, probe.num_points() / kDrawsAsked);
  for (const double sign : {-1.0, 1.0}) {
    bool all = true;
    for (Index m = 0; all && m < probe.num_points(); m += step)
      all = stays_high(probe, m, direction, sign);
    for (std::size_t d = 0; all && d < direction.size(); ++d)
      if (std::fabs(direction[d]) > kInvolved * largest)
        flat.push_back({static_cast<Index>(d), false});
    if (!flat.empty()) return;
  }
}

// ---- a density that is as high where arithmetic ends as where the draws are

// exp(-x) is 0 beyond 745 and exp(x) infinite beyond 709: a value that no density allows, but none
// that the program speaks of.
bool is_end_of_arithmetic(const density::Model& model, const density::Status& status) {
  return refused_by(model, status).is_check && (status.value == 0.0 || std::isinf(status.value));
}

// From a draw outwards, ever further, to where the density is refused, and back to its last point.
bool ends_high(const Case& at_hand, Index m, Index d, double sign) {
  const Probe& probe = *at_hand.probe();
  constexpr int kDoublings = 12, kHalvings = 20;
  const auto i = static_cast<std::size_t>(d);
  const double unit = std::max(probe.scale(d), 1e-8);
  const auto at = [&](double distance) {
    std::vector<double> point = probe.point(m);
    point[i] += sign * distance;
    return point;
  };
  double inside = 0.0, outside = unit;
  int k = 0;
  for (; k < kDoublings && probe.status(at(outside)).ok(); ++k) inside = outside, outside *= 2.0;
  if (k == kDoublings || !is_end_of_arithmetic(*at_hand.evidence.model, probe.status(at(outside))))
    return false;
  for (int half = 0; half < kHalvings; ++half) {
    const double middle = (inside + outside) / 2.0;
    (probe.status(at(middle)).ok() ? inside : outside) = middle;
  }
  return probe.log_density(at(inside)) > probe.log_density(probe.point(m)) - kAsHigh;
}

bool ends_high(const Case& at_hand, Index d) {
  const Probe& probe = *at_hand.probe();
  const Index step = std::max<Index>(1, probe.num_points() / kDrawsAsked);
  for (const double sign : {-1.0, 1.0}) {
    bool all = true;
    for (Index m = 0; all && m < probe.num_points(); m += step)
      all = ends_high(at_hand, m, d, sign);
    if (all) return true;
  }
  return false;
}

void add_ends_of_arithmetic(const Case& at_hand, const Probe& probe, std::vector<Flat>& flat) {
  if (static_cast<double>(num_marked(at_hand.statistic("divergent"))) <
      kBreaksOff * static_cast<double>(at_hand.num_total()))
    return;
  for (Index d = 0; d < std::min(probe.dimension(), kMostCoordinates); ++d)
    if (probe.reach(d) == Reach::linear && ends_high(at_hand, d)) flat.push_back({d, false});
}

// Draws may stay near their start for long; they then show nothing about the tail.
std::string what_draws_do(const Case& at_hand, std::span<const std::string> names) {
  constexpr double kFar = 100.0;  // in standard deviations of the central draws
  const auto runs_away = [&](const Column& column) {
    if (std::find(names.begin(), names.end(), column.name) == names.end()) return false;
    std::vector<double> values = at_hand.draws(column.index).values;
    const double low = diagnose::quantile(values, 0.16), high = diagnose::quantile(values, 0.84);
    return column.r_hat > kDisagree || column.highest - column.lowest > kFar * (high - low);
  };
  return std::any_of(at_hand.columns.begin(), at_hand.columns.end(), runs_away)
             ? "and the draws run away."
             : "and the draws, which stayed in a part of it, say nothing of the rest.";
}

std::vector<Finding> by_density(const Case& at_hand, const Probe& probe) {
  std::vector<Flat> flat = flat_coordinates(at_hand);
  if (flat.empty()) add_common_direction(probe, flat);
  if (flat.empty()) add_ends_of_arithmetic(at_hand, probe, flat);
  if (flat.empty()) return {};
  Finding finding{.id = "improper", .level = Level::bad};
  bool both = true;
  for (const Flat& one : flat) {
    finding.parameters.push_back(probe.names()[static_cast<std::size_t>(one.coordinate)]);
    both = both && one.both_sides;
  }
  finding.place = at_hand.place_of(finding.parameters.front());
  finding.text =
      "There is no posterior: the density doesn't fall off as " + listed(finding.parameters) +
      (finding.parameters.size() == 1 ? " goes" : " go") + " to infinity" +
      (both ? " in either direction; neither data nor prior say where it is."
            : " in one direction; the data rule out the other only (as separated classes do).") +
      " Its integral is infinite, " + what_draws_do(at_hand, finding.parameters);
  finding.remedy = "Give " + listed(finding.parameters) +
                   (finding.parameters.size() == 1 ? " a proper prior." : " proper priors.");
  return {finding};
}

std::vector<Finding> by_draws(const Case& at_hand) {
  Finding finding{.id = "improper", .level = Level::bad};
  double largest = 0.0;
  for (const Index k : at_hand.sampled) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    const double size = std::max(std::fabs(column.lowest), std::fabs(column.highest));
    if (size < kImpossible && (size < kAstronomical || !(column.r_hat > kDisagree))) continue;
    finding.parameters.push_back(column.name);
    largest = std::max(largest, size);
    if (!finding.place) finding.place = at_hand.place_of(k);
  }
  if (finding.parameters.empty()) return {};
  finding.text = "The draws run away: " + listed(finding.parameters) + " reached " +
                 number(largest) +
                 ", and the chains disagree on where. The density seems not to "
                 "fall off, so that the posterior doesn't exist.";
  finding.remedy = "Give " + listed(finding.parameters) + " proper priors, or more data.";
  return {finding};
}

// A parameter that is held at a point, as by some approximations: the density around draws of one place says nothing of its tails.
bool has_held_parameter(const Case& at_hand) {
  return std::ranges::any_of(at_hand.sampled, [&](Index k) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    return column.lowest == column.highest;
  });
}

std::vector<Finding> check(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  std::vector<Finding> findings;
  if (probe != nullptr && !has_held_parameter(at_hand)) findings = by_density(at_hand, *probe);
  return findings.empty() ? by_draws(at_hand) : findings;
}
}  // namespace

const FindingSpec improper{
    .id = "improper",
    .title = "there is no posterior",
    .explains = {"missing_constraint", "label_switching", "flat_direction", "stuck_chain",
                 "multimodal", "heavy_tails", "funnel", "at_bound", "missing_mass",
                 "initial_values", "divergences", "low_energy_exchange", "tree_depth", "not_mixed",
                 "few_draws", "missing_values", "uncertain_evidence", "few_ancestors"},
    .check = check};

}  // namespace credo::verdict::improper_row
