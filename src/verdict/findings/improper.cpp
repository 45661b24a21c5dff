// A density that doesn't fall off, so that there is no posterior. Certain where it can be asked: if
// with all else held the integral over one coordinate diverges at every draw that is tried, the
// whole integral does. So does that of a density that ends only where exp() over- or underflows, and
// is as high there as at the draws. From draws alone: chains that disagree on where they are, at values no scale
// of a model has.
#include "verdict/findings.hpp"
#include "verdict/located.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace {
constexpr double kNoTail = 1e-4;  // an order of at most this; no proper density in use has one
constexpr double kAstronomical = 1e8, kDisagree = 1.2;
constexpr double kImpossible = 1e100;  // no proper law in use gets there

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

// ---- a density that is as high where arithmetic ends as where the draws are

constexpr double kBreaksOff = 0.02;  // of the transitions: those that got to that end
constexpr double kAsHigh = 3.0;      // nats
constexpr Index kDrawsAsked = 4, kMostCoordinates = 50;

// exp(-x) is 0 beyond 745 and exp(x) infinite beyond 709: a value that no density allows, but none
// that the program speaks of.
bool is_end_of_arithmetic(const model::Model& model, const density::Status& status) {
  return model.failure_of(status) && (status.value == 0.0 || std::isinf(status.value));
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
  if (k == kDoublings || !is_end_of_arithmetic(*at_hand.evidence.model, probe.status(at(outside)))) return false;
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

std::vector<Finding> by_density(const Case& at_hand, const Probe& probe) {
  std::vector<Flat> flat = flat_coordinates(at_hand);
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
      " Its integral is infinite, and the draws run away.";
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
                 "fall off, so that there is no posterior.";
  finding.remedy = "Give " + listed(finding.parameters) + " proper priors, or more data.";
  return {finding};
}

std::vector<Finding> check(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  std::vector<Finding> findings;
  if (probe != nullptr) findings = by_density(at_hand, *probe);
  return findings.empty() ? by_draws(at_hand) : findings;
}
}  // namespace

const FindingSpec improper{
    .id = "improper", .title = "there is no posterior", .explains = {"*"}, .check = check};

}  // namespace credo::verdict
