// A region in which the draws have less than the density says, by integrating the density itself
// along one coordinate (verdict/mass_gaps.hpp): necks of funnels, tips of bananas, far tails that
// chains entered too seldom, though they agree with each other.
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::missing_mass_row {
namespace {
constexpr double kBad = 0.1;

std::vector<Finding> check(const Case& at_hand) {
  std::vector<MassGap> gaps;
  for (const MassCheck& check : at_hand.mass_checks())
    if (check.gap) gaps.push_back(*check.gap);
  if (gaps.empty()) return {};
  const auto worst =
      std::max_element(gaps.begin(), gaps.end(),
                       [](const MassGap& a, const MassGap& b) { return a.errors < b.errors; });
  const std::string& name = at_hand.columns[static_cast<std::size_t>(worst->column)].name;
  Finding finding{
      .id = "missing_mass",
      .level = std::fabs(worst->by_density - worst->by_draws) > kBad ? Level::bad : Level::warning,
      .parameters = {name},
      .place = at_hand.place_of(worst->column)};
  for (const MassGap& gap : gaps) {
    const std::string& other = at_hand.columns[static_cast<std::size_t>(gap.column)].name;
    if (other != name) finding.parameters.push_back(other);
  }
  finding.text = "The draws aren't where the density is: below " + name + " = " +
                 number(worst->value) + " lies " + percent(worst->by_density) +
                 " of the mass, by integrating the density itself, but " +
                 percent(worst->by_draws) + " of the draws (" + number(worst->errors) +
                 " standard errors apart). The " + std::string(at_hand.chain_word()) + "s " +
                 (worst->misses_below() ? "were there" : "were above it") +
                 " too seldom, and agree because all of them were.";
  const std::string steps =
      at_hand.is_of_particles()
          ? "Make the populations better: " + std::string(kBetterPopulations)
          : "Raise --adapt-delta (0.95, 0.99), so that steps are short enough for that region";
  finding.remedy = steps +
                   ", and write the model in coordinates in which it isn't narrower than the rest; "
                   "longer runs alone help little.";
  return {finding};
}
}  // namespace

const FindingSpec missing_mass{
    .id = "missing_mass",
    .title = "a region that the draws miss",
    .explains = {"divergences", "few_draws", "not_mixed", "low_energy_exchange"},
    .check = check};

}  // namespace credo::verdict::missing_mass_row
