// Too few effective draws: below 100 a mean is known to a tenth of a standard deviation only, and
// the diagnostics themselves are noise. The estimate of an effective size of 400 has a standard
// deviation near 60: among hundreds of outputs none falls below 150 by chance.
//
// Chains of a few draws don't show their own correlation, however many they are. Nested R-hat
// [margossian2024] would tell, but for groups of chains that begin at one point: ours begin each at
// its own, so that means of large groups agree even if no chain moves.
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace {
constexpr double kBad = 100.0, kWarn = 150.0;
constexpr double kTail = 60.0;     // the tails' estimates are twice as noisy
constexpr double kOutputs = 50.0;  // of what is computed from parameters

constexpr Index kShortest = 20;  // draws of a chain, as mixing_p_value asks

struct Least {
  double ess = kInfinity;
  Index column = -1;
};

bool is_too_few(const Column& column) {
  if (!column.sampled) return column.ess_bulk < kOutputs;
  return column.ess_bulk < kWarn || column.ess_tail < kTail;
}

Finding too_short(const Case& at_hand) {
  return {.id = "few_draws",
          .text = "Each chain has only " + counted(at_hand.num_draws, "draw") +
                  ": too few to see how much one draw resembles the next, and without that neither "
                  "R-hat nor effective draws tell whether the chains agree.",
          .remedy = "Draw at least " + std::to_string(kShortest) +
                    " times a chain (--draws), with fewer chains if that takes too long."};
}

std::vector<Finding> check(const Case& at_hand) {
  if (at_hand.num_draws < kShortest && at_hand.num_judged > 0) return {too_short(at_hand)};
  Finding finding{.id = "few_draws"};
  Least bulk, tail;
  for (const Column& column : at_hand.columns) {
    if (!is_too_few(column)) continue;
    finding.parameters.push_back(column.name);
    if (column.ess_bulk < bulk.ess) bulk = {column.ess_bulk, column.index};
    if (column.ess_tail < tail.ess) tail = {column.ess_tail, column.index};
  }
  if (finding.parameters.empty()) return {};
  finding.level = bulk.ess < kBad ? Level::bad : Level::warning;
  if (bulk.column >= 0) finding.place = at_hand.place_of(bulk.column);
  finding.text = "The " + std::to_string(at_hand.num_total()) + " draws are worth " +
                 whole(bulk.ess) + " independent ones for a mean and " + whole(tail.ess) +
                 " for a tail of " + listed(finding.parameters) + ": means are known to " +
                 number(1.0 / std::sqrt(bulk.ess)) + " standard deviations, quantiles less well.";
  const double factor = std::ceil(std::max(2.0, 400.0 / std::max(bulk.ess, 1.0)));
  finding.remedy = "Draw about " + number(factor) +
                   " times as much (--draws); a parameter that mixes slowly may do better in other "
                   "coordinates.";
  return {finding};
}
}  // namespace

const FindingSpec few_draws{
    .id = "few_draws", .title = "too few effective draws", .explains = {}, .check = check};

}  // namespace credo::verdict
