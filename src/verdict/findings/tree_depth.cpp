// Trajectories that used the whole budget are cut short: a random walk, though a right one. One in
// fifty of them is the largest share in healthy posteriors with heavy tails. If the chains have
// mixed all the same, the draws are good and were only dear: a note.
#include "verdict/findings.hpp"
#include "verdict/ridge.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::tree_depth_row {
namespace {
constexpr double kShare = 0.02, kBad = 0.5, kRidge = 20.0;
constexpr double kAsSlow = 1.3;                   // times the least effective draws
constexpr double kMixed = 1.01, kEnough = 400.0;  // R-hat, effective draws [vehtari2021]

bool has_mixed(const Case& at_hand) {
  return std::all_of(at_hand.columns.begin(), at_hand.columns.end(), [](const Column& column) {
    return !column.sampled || !(column.r_hat > kMixed || column.ess_bulk < kEnough);
  });
}

Level level_of(const Case& at_hand, double share) {
  if (has_mixed(at_hand)) return Level::note;
  return share > kBad ? Level::bad : Level::warning;
}

// The outputs that mix worst: they lack longer trajectories.
std::vector<std::string> slowest(const Case& at_hand) {
  double least = kInfinity;
  const auto ess = [&](Index k) { return at_hand.columns[static_cast<std::size_t>(k)].ess_bulk; };
  for (const Index k : at_hand.sampled)
    least = std::isnan(ess(k)) ? least : std::min(least, ess(k));
  std::vector<std::string> names;
  for (const Index k : at_hand.sampled)
    if (ess(k) < kAsSlow * least)
      names.push_back(at_hand.columns[static_cast<std::size_t>(k)].name);
  return names;
}

// Share of the transitions whose trajectories were cut off, why, and the option that allows longer ones.
struct CutOff {
  double share = 0.0;
  std::string how = {}, option = {};
};

// Samplers without trees count the trajectories that took as many steps as one may have.
CutOff by_steps(const Case& at_hand) {
  Index cut = 0;
  if (at_hand.evidence.run != nullptr)
    for (const infer::ChainResult& chain : at_hand.evidence.run->chains) cut += chain.num_max_depth;
  const Index count = at_hand.num_total() * std::max<Index>(at_hand.evidence.thin, 1);
  return {static_cast<double>(cut) / static_cast<double>(count),
          "took as many steps as a trajectory may have: their trajectories were cut off before "
          "their time",
          "--max-steps"};
}

CutOff cut_off(const Case& at_hand) {
  if (at_hand.statistic("tree_depth").empty()) return by_steps(at_hand);
  return {at_hand.share_cut_off(),
          "used the whole tree depth of " +
              number(static_cast<double>(at_hand.evidence.max_tree_depth)) +
              ": their trajectories were cut off before they turned",
          "--max-depth"};
}

std::vector<Finding> check(const Case& at_hand) {
  const CutOff cut = cut_off(at_hand);
  if (cut.share <= kShare) return {};
  Finding finding{
      .id = "tree_depth",
      .level = level_of(at_hand, cut.share),
      .text = percent(cut.share) + " of the transitions " + cut.how +
              ", so the draws are more correlated than they need be.",
      .remedy = "Bring the parameters to similar scales, try --metric dense_e, or raise " +
                cut.option + "."};
  const auto ridge = ridge_of(at_hand, false);
  if (!ridge || ridge->ratio < kRidge) {
    finding.parameters = slowest(at_hand);
    finding.text += " The slowest: " + listed(finding.parameters) + ".";
    return {finding};
  }
  for (const Index k : ridge->columns)
    finding.parameters.push_back(at_hand.columns[static_cast<std::size_t>(k)].name);
  finding.place = at_hand.place_of(ridge->columns.front());
  finding.text += " " + listed(finding.parameters) +
                  " are strongly correlated: the draws lie on a ridge " + number(ridge->ratio) +
                  " times as long as wide.";
  return {finding};
}
}  // namespace

const FindingSpec tree_depth{.id = "tree_depth",
                             .title = "trajectories that are cut off",
                             .explains = {"few_draws"},
                             .check = check};

}  // namespace credo::verdict::tree_depth_row
