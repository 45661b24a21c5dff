// Too few effective draws: below 100 a mean is known to a tenth of a standard deviation only, and
// the diagnostics themselves are noise. The estimate of an effective size of 400 has a standard
// deviation near 60: among hundreds of outputs none falls below 150 by chance. Below 400 figures of
// two digits aren't known: a note.
//
// Chains of a few draws don't show their own correlation, however many they are. Nested R-hat
// [margossian2024] would show it, if groups of chains began at one point: ours begin each at
// its own, so that means of large groups agree even if no chain moves.
#include "verdict/findings.hpp"
#include "verdict/mass_gaps.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::few_draws_row {
namespace {
constexpr double kBad = 50.0, kWarn = 100.0;
constexpr Index kShortRun = 400;
constexpr double kWarnShort = 200.0;
constexpr double kTail = 60.0;     // the tails' estimates are twice as noisy
constexpr double kOutputs = 50.0;  // for outputs that are computed from parameters
constexpr double kNote = 400.0;    // what figures with two digits need [vehtari2021]

constexpr double kDisagree = 1.1;  // R-hat
constexpr Index kShortest = 20;    // draws of a chain, as mixing_p_value asks

struct Least {
  double ess = kInfinity;
  Index column = -1;
};

// In a run of few draws the effective ones are a rough guess themselves. Tails that agree with the
// integrated density need no such guess.
bool is_too_few(const Case& at_hand, const Column& column) {
  if (!column.sampled) return column.ess_bulk < kOutputs;
  const double warn = at_hand.num_total() < kShortRun ? kWarnShort : kWarn;
  return column.ess_bulk < warn || (column.ess_tail < kTail && !are_all_cleared(at_hand));
}

// Particles don't follow each other, and nothing can be learned from their order.
Finding too_few_particles(const Case& at_hand, Level level) {
  return {.id = "few_draws",
          .level = level,
          .text = "Each population has only " + counted(at_hand.num_draws, "particle") +
                  ": too few to compare the populations.",
          .remedy = "Take some hundred particles a population at least (--draws)."};
}

Finding too_short(const Case& at_hand) {
  const bool disagree = std::any_of(at_hand.columns.begin(), at_hand.columns.end(),
                                    [](const Column& column) { return column.r_hat > kDisagree; });
  const Level level = disagree ? Level::bad : Level::warning;
  if (at_hand.is_of_particles()) return too_few_particles(at_hand, level);
  return {.id = "few_draws",
          .level = level,
          .text = "Each chain has only " + counted(at_hand.num_draws, "draw") +
                  ": too few to see how much one draw resembles the next, and without that neither "
                  "R-hat nor effective draws show whether the chains agree.",
          .remedy = "Draw at least " + std::to_string(kShortest) +
                    " times a chain (--draws), with fewer chains if that takes too long."};
}

// Enough for R-hat and a rough mean, fewer than the summary's figures need.
std::vector<Finding> coarse(const Case& at_hand) {
  Finding finding{.id = "few_draws", .level = Level::note};
  double least = kInfinity;
  const auto look = [&](const Column& column) {
    const double ess = std::fmin(column.ess_bulk, column.ess_tail);
    if (!(ess < kNote)) return;
    finding.parameters.push_back(column.name);
    least = std::min(least, ess);
  };
  for (const Column& column : at_hand.columns) look(column);
  look(at_hand.log_density());
  if (finding.parameters.empty()) return {};
  finding.text = listed(finding.parameters) + (finding.parameters.size() == 1 ? " has" : " have") +
                 " only " + whole(least) + " effective draws or a few more: a mean is known to " +
                 number(1.0 / std::sqrt(least)) +
                 " standard deviations, and quantiles and standard deviations less well.";
  finding.remedy = "For figures with two digits draw about " +
                   number(std::ceil(kNote / std::max(least, 1.0)) + 1.0) +
                   " times as much (--draws).";
  return {finding};
}

// With so few draws R-hat is partly noise. It is still reported if it is above the usual limit.
std::string disagreement(const Case& at_hand) {
  constexpr double kUsual = 1.01;
  double largest = 0.0;
  for (const Column& column : at_hand.columns)
    if (column.r_hat > largest) largest = column.r_hat;
  return largest > kUsual ? ", and R-hat is up to " + r_hat_text(largest) : "";
}

std::vector<Finding> check(const Case& at_hand) {
  const bool has_chains =
      !at_hand.is_of_approximation();  // independent draws have no autocorrelation
  if (has_chains && at_hand.num_draws < kShortest && at_hand.num_judged > 0)
    return {too_short(at_hand)};
  Finding finding{.id = "few_draws"};
  Least bulk, tail;
  for (const Column& column : at_hand.columns) {
    if (!is_too_few(at_hand, column)) continue;
    finding.parameters.push_back(column.name);
    if (column.ess_bulk < bulk.ess) bulk = {column.ess_bulk, column.index};
    if (column.ess_tail < tail.ess) tail = {column.ess_tail, column.index};
  }
  if (finding.parameters.empty()) return coarse(at_hand);
  finding.level = bulk.ess < kBad ? Level::bad : Level::warning;
  if (bulk.column >= 0) finding.place = at_hand.place_of(bulk.column);
  finding.text = "The " + std::to_string(at_hand.num_total()) + " draws are worth " +
                 whole(bulk.ess) + " independent ones for a mean and " + whole(tail.ess) +
                 " for a tail of " + listed(finding.parameters) + ": means are known to " +
                 number(1.0 / std::sqrt(bulk.ess)) + " standard deviations, quantiles less well" +
                 disagreement(at_hand) + ".";
  const double factor = std::ceil(std::max(2.0, 400.0 / std::max(bulk.ess, 1.0)));
  finding.remedy =
      at_hand.is_of_particles()
          ? "Take about " + number(factor) +
                " times as many particles (--draws), or move them more "
                "(--num-moves): the particles of a population that have the same ancestors are "
                "alike."
      : !has_chains
          ? "Draw about " + number(factor) + " times as much (--draws)."
          : "Draw about " + number(factor) +
                " times as much (--draws); a parameter that mixes slowly may do better in other "
                "coordinates.";
  return {finding};
}
}  // namespace

const FindingSpec few_draws{.id = "few_draws",
                            .title = "too few effective draws",
                            .explains = {},
                            .check = check,
                            .of_chains = true};

}  // namespace credo::verdict::few_draws_row
