// Trajectories that diverged without a funnel that explains them.
//
// Rates. A healthy posterior has some: a large step size in one chain of a half-normal scale makes 1 in 100 of its
// trajectories diverge from anywhere. So up to 1 in 100 of all draws are a note if they are spread like the others,
// and 1 in 400 if they lie in one place. A run has more than that only if chance doesn't explain the excess, so that
// more draws don't make the verdict worse.
//
// Up to 1 in 50 are also a note if the chains have mixed well (Case::has_mixed_well). Chains that rarely enter the
// region of their divergences stay there or away for long: no run with a known answer that is wrong because of
// such a region, has that many effective draws in the mean and in the tails.
//
// Two of 540 runs with known answers are wrong, and only divergences show it: 0.1 and 0.3 % of the transitions,
// in the tip of a banana.
//
// Up to 1 in 50 are also a note if the density was integrated along the output that locates them and the draws agree
// with it; any number, if they agree in all figures of all sampled outputs.
//
// The harm is given in standard errors of a mean: its shift if as many draws as diverged were missing in their
// region.
#include "verdict/findings.hpp"
#include "verdict/located.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::divergences_row {
namespace {
constexpr double kPassSpread = 0.01, kPassLocated = 0.0025, kBad = 0.02;
constexpr Index kFewest = 5;  // fewer can't show a region
constexpr const char* kCleared =
    " But the density was integrated by another way, and the draws agree with it.";

struct Counted {
  Index marked = 0;     // draws that are marked
  Index count = 0;      // transitions that diverged; thinned draws show only a part of them
  Index num_steps = 0;  // number of transitions
};

std::string where(const Case& at_hand, const Counted& seen, const Located& place) {
  if (place.column < 0) return seen.marked == 0 ? "" : " They are spread over the posterior.";
  const Column& column = at_hand.columns[static_cast<std::size_t>(place.column)];
  const bool low = place.z < 0.0;
  return " They sit where " + column.name + " is " + (low ? "small" : "large") + ": near " +
         number(place.median) + ", " + (low ? "below " : "above ") +
         percent(low ? 1.0 - place.share_below : place.share_below) + " of all draws.";
}

Counted counted_divergences(const Case& at_hand) {
  const std::vector<double>& marks = at_hand.statistic("divergent");
  Counted all{.marked = num_marked(marks), .num_steps = at_hand.num_total()};
  all.count = all.marked;
  Index counted = 0;
  if (at_hand.evidence.run != nullptr)
    for (const infer::ChainResult& chain : at_hand.evidence.run->chains)
      counted += chain.num_divergent;
  if (counted > all.marked)
    all.count = counted, all.num_steps *= std::max<Index>(at_hand.evidence.thin, 1);
  return all;
}

std::string shown(const Counted& seen) {
  if (seen.count == seen.marked) return "";
  return seen.marked == 0 ? " (none of them was kept)"
                          : " (" + std::to_string(seen.marked) + " of them were kept)";
}

// Shift of an output's mean, in standard errors, if as many draws as diverged were missing in their region.
struct Harm {
  Index column = -1;
  double errors = 0.0;
};

Harm harm_of(const Case& at_hand, const Counted& seen, double share) {
  constexpr std::size_t kMostColumns = 100;
  Harm worst;
  const std::vector<double>& marks = at_hand.statistic("divergent");
  if (seen.marked == 0) return worst;
  const auto asked =
      std::span(at_hand.sampled).first(std::min(at_hand.sampled.size(), kMostColumns));
  std::vector<double> errors(asked.size());
  at_hand.each_column(asked, [&](std::size_t k, const diagnose::Chains& draws) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(asked[k])];
    const double error = column.sd / std::sqrt(column.ess_bulk);
    errors[k] = share * std::fabs(mean_of_marked(draws, marks) - column.mean) / error;
  });
  for (std::size_t k = 0; k < asked.size(); ++k)
    if (errors[k] > worst.errors) worst = {asked[k], errors[k]};
  return worst;
}

std::string harm_text(const Case& at_hand, const Harm& harm) {
  if (harm.column < 0) return "";
  return " Were as many draws missing where they are, the mean of " +
         at_hand.columns[static_cast<std::size_t>(harm.column)].name + " would move by " +
         number(harm.errors) + " of its own errors.";
}

std::string count_text(const Counted& seen, double share) {
  return counted(seen.count, "transition") + " of " + std::to_string(seen.num_steps) + " diverged" +
         shown(seen) + " (" + percent(share) + ")";
}

std::string why_harmless(const Case& at_hand, bool is_few) {
  if (is_few) return ", which is few.";
  double least = kInfinity;
  for (const Index k : at_hand.sampled) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    least = std::fmin(least, std::fmin(column.ess_bulk, column.ess_tail));
  }
  return ", and the chains have mixed all the same (at least " + whole(least) +
         " effective draws of each parameter and its tails).";
}

// Note of one line without a remedy.
Finding note_of(const Case& at_hand, const Counted& seen, double share, bool is_few) {
  return {.id = "divergences",
          .level = Level::note,
          .text = count_text(seen, share) + why_harmless(at_hand, is_few) +
                  harm_text(at_hand, harm_of(at_hand, seen, share)),
          .remedy = "Nothing; --adapt-delta " +
                    number((1.0 + at_hand.evidence.target_accept) / 2.0) + " has fewer."};
}

Finding alarm_of(const Case& at_hand, const Counted& seen, double share, const Located& place,
                 bool cleared) {
  Finding finding{.id = "divergences",
                  .level = cleared        ? Level::note
                           : share > kBad ? Level::bad
                                          : Level::warning,
                  .text = count_text(seen, share) +
                          ": the posterior bends more sharply there than the step size "
                          "follows, and what lies behind may be missing from the draws." +
                          where(at_hand, seen, place) +
                          (cleared ? kCleared : harm_text(at_hand, harm_of(at_hand, seen, share))),
                  .remedy = "Raise --adapt-delta above " + number(at_hand.evidence.target_accept) +
                            "; if they stay, write the model in other coordinates or look for a "
                            "hard edge of the density (a missing constraint, a jump)."};
  if (!at_hand.evidence.cross_check && at_hand.evidence.is_of_program)
    finding.remedy += " A second algorithm shows whether anything is missing: --cross-check.";
  return finding;
}

std::vector<Finding> check(const Case& at_hand) {
  const std::vector<double>& marks = at_hand.statistic("divergent");
  const Counted seen = counted_divergences(at_hand);
  if (seen.count == 0) return {};
  const double share = static_cast<double>(seen.count) / static_cast<double>(seen.num_steps);
  const Located place = seen.marked >= kFewest ? located(at_hand, marks) : Located{};
  const double most = place.column < 0 ? kPassSpread : kPassLocated;
  const bool cleared = are_all_cleared(at_hand) ||
                       (share <= kBad && place.column >= 0 && is_cleared(at_hand, place.column));
  const bool is_few = !exceeds(seen.count, seen.num_steps, most);
  Finding finding = is_few || (share <= kBad && at_hand.has_mixed_well() && !cleared)
                        ? note_of(at_hand, seen, share, is_few)
                        : alarm_of(at_hand, seen, share, place, cleared);
  if (place.column >= 0) {
    finding.parameters = {at_hand.columns[static_cast<std::size_t>(place.column)].name};
    finding.place = at_hand.place_of(place.column);
  }
  if (finding.level == Level::note) finding.place.reset();
  return {finding};
}
}  // namespace

const FindingSpec divergences{
    .id = "divergences", .title = "divergent transitions", .explains = {}, .check = check};

}  // namespace credo::verdict::divergences_row
