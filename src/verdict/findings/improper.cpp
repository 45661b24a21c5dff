// A density that doesn't fall off, so that there is no posterior. Certain where it can be asked: if
// with all else held the integral over one coordinate diverges at every draw that is tried, the
// whole integral does. From draws alone: chains that disagree on where they are, at values no scale
// of a model has.
#include "verdict/findings.hpp"
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

std::vector<Finding> by_density(const Case& at_hand, const Probe& probe) {
  const std::vector<Flat> flat = flat_coordinates(at_hand);
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
