// Trajectories that broke off, without a funnel that explains them. A healthy posterior has
// some now and then: a step size that came out large in one chain of a half-normal scale makes 1 in
// 100 of its trajectories end that way, from anywhere. So 1 in 100 of all draws are a note where
// they are spread like the others; 1 in 1000 where they sit in one place, and something does that.
// In chains that are worth less than an eighth of their draws any one is a warning: such are the
// runs that miss the neck of a funnel or the tip of a banana.
// They are a note, too, up to 1 in 50, where the density was integrated along the output that tells
// where they sit, and the draws agree with it; any number, where they agree in all figures of all
// outputs that were sampled.
#include "verdict/findings.hpp"
#include "verdict/located.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::divergences_row {
namespace {
constexpr double kPassSpread = 0.01, kPassLocated = 0.001, kBad = 0.02;
constexpr Index kFewest = 5;     // that can show a place
constexpr double kFast = 0.125;  // effective draws a draw
constexpr const char* kCleared =
    " But the density was integrated by another way, and the draws agree with it.";

struct Counted {
  Index marked = 0;  // draws that are marked
  Index count = 0;  // transitions that diverged; of thinned draws the run knows more than they show
  Index num_steps = 0;  // of so many
};

std::string where(const Case& at_hand, const Counted& seen, const Located& place) {
  if (place.column < 0) return seen.marked == 0 ? "" : " They are spread over the posterior.";
  const Column& column = at_hand.columns[static_cast<std::size_t>(place.column)];
  const bool low = place.z < 0.0;
  return " They sit where " + column.name + " is " + (low ? "small" : "large") + ": near " +
         number(place.median) + ", " + (low ? "below " : "above ") +
         percent(low ? 1.0 - place.share_below : place.share_below) + " of all draws.";
}

// A few divergences in slow chains are what a region looks like that the chains hardly enter.
bool is_slow(const Case& at_hand) {
  return std::any_of(at_hand.sampled.begin(), at_hand.sampled.end(), [&](Index k) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    return std::fmin(column.ess_bulk, column.ess_tail) <
           kFast * static_cast<double>(at_hand.num_total());
  });
}

std::string slowest(const Case& at_hand) {
  const auto ess = [&](Index k) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    const double least = std::fmin(column.ess_bulk, column.ess_tail);
    return std::isnan(least) ? kInfinity : least;
  };
  const Index worst = *std::min_element(at_hand.sampled.begin(), at_hand.sampled.end(),
                                        [&](Index a, Index b) { return ess(a) < ess(b); });
  return at_hand.columns[static_cast<std::size_t>(worst)].name;
}

Counted counted_divergences(const Case& at_hand) {
  const std::vector<double>& marks = at_hand.statistic("divergent");
  Counted all{.marked = num_marked(marks), .num_steps = at_hand.num_total()};
  all.count = all.marked;
  Index told = 0;
  if (at_hand.evidence.run != nullptr)
    for (const infer::ChainResult& chain : at_hand.evidence.run->chains)
      told += chain.num_divergent;
  if (told > all.marked)
    all.count = told, all.num_steps *= std::max<Index>(at_hand.evidence.thin, 1);
  return all;
}

std::string shown(const Counted& seen) {
  if (seen.count == seen.marked) return "";
  return seen.marked == 0 ? " (none of them was kept)"
                          : " (" + std::to_string(seen.marked) + " of them were kept)";
}

std::vector<Finding> check(const Case& at_hand) {
  const std::vector<double>& marks = at_hand.statistic("divergent");
  const Counted seen = counted_divergences(at_hand);
  if (seen.count == 0) return {};
  const double share = static_cast<double>(seen.count) / static_cast<double>(seen.num_steps);
  const Located place = seen.marked >= kFewest ? located(at_hand, marks) : Located{};
  const bool cleared = are_all_cleared(at_hand) ||
                       (share <= kBad && place.column >= 0 && is_cleared(at_hand, place.column));
  const bool passes =
      cleared || (!is_slow(at_hand) && share <= (place.column < 0 ? kPassSpread : kPassLocated));
  Finding finding{.id = "divergences",
                  .level = passes         ? Level::note
                           : share > kBad ? Level::bad
                                          : Level::warning,
                  .text = counted(seen.count, "transition") + " of " +
                          std::to_string(seen.num_steps) + " diverged" + shown(seen) +
                          ": the posterior bends more sharply there than the step size "
                          "follows, and what lies behind " +
                          (cleared ? "might be" : "is") + " missing from the draws." +
                          where(at_hand, seen, place) + (cleared ? kCleared : ""),
                  .remedy = "Raise --adapt-delta above " + number(at_hand.evidence.target_accept) +
                            "; if they stay, write the model in other coordinates or look for a "
                            "hard edge of the density (a missing constraint, a jump)."};
  if (finding.level == Level::note && !at_hand.evidence.cross_check)
    finding.remedy += " Whether anything is missing, a second algorithm tells: --cross-check.";
  if (place.column < 0 && is_slow(at_hand)) finding.parameters = {slowest(at_hand)};
  if (place.column >= 0) {
    finding.parameters = {at_hand.columns[static_cast<std::size_t>(place.column)].name};
    finding.place = at_hand.place_of(place.column);
  }
  return {finding};
}
}  // namespace

const FindingSpec divergences{
    .id = "divergences", .title = "divergent transitions", .explains = {}, .check = check};

}  // namespace credo::verdict::divergences_row
