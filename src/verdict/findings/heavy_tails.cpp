// Tails so heavy that means don't exist. Where the density can be asked, the order of a
// coordinate's tail is exact: below 1 / 0.7 a mean of draws doesn't settle in any number that is
// drawn [vehtari2024]; the conditional tail bounds the marginal one from below. From draws alone
// the shape k of a generalised Pareto law, which for a light tail of 200 draws has a standard error
// near 0.1: above 1 in some tail of hundreds it doesn't come by chance.
#include "diagnose/convergence.hpp"
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace {
constexpr double kOrder = 1.0 / 0.7;

std::vector<std::string> by_density(const Case& at_hand, const Probe& probe, double& least) {
  std::vector<std::string> heavy;
  const std::vector<TailOrder>& orders = at_hand.tail_orders();
  for (std::size_t d = 0; d < orders.size(); ++d) {
    const bool has_bound = probe.reach(static_cast<Index>(d)) == Reach::exponential;
    const double order = has_bound ? orders[d].upper : orders[d].least();
    if (!(order < kOrder)) continue;
    heavy.push_back(probe.names()[d]);
    least = std::min(least, order);
  }
  return heavy;
}

std::vector<Finding> check(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr) return {};
  double least = kInfinity;
  Finding finding{.id = "heavy_tails", .level = Level::warning};
  finding.parameters = by_density(at_hand, *probe, least);
  if (finding.parameters.empty()) return {};
  finding.place = at_hand.place_of(finding.parameters.front());
  const bool no_mean = least < 1.05;
  finding.level = no_mean ? Level::bad : Level::warning;
  finding.text = "The tails of " + listed(finding.parameters) + " fall only like a power (x^-" +
                 number(least + 1.0) + "): " +
                 (no_mean ? "they have no mean, and averages of draws never settle."
                          : "they have no variance, and averages of draws settle very slowly.");
  finding.remedy =
      "Report quantiles, not means; or use a prior with lighter tails (student_t with "
      "3 or more degrees of freedom, normal).";
  return {finding};
}
}  // namespace

const FindingSpec heavy_tails{
    .id = "heavy_tails",
    .title = "tails without a mean",
    .explains = {"low_energy_exchange", "tree_depth", "few_draws", "not_mixed"},
    .check = check};

}  // namespace credo::verdict
