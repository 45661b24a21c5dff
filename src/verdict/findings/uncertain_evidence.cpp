// A log evidence whose errors are too small: independent estimates of the chains differ by more
// than their errors, or the error is so large that it is only a guess.
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::uncertain_evidence_row {
namespace {
constexpr double kFar = 4.0;       // errors of the difference
constexpr double kNotKnown = 0.3;  // evidences, and Bayes factors, are off by a third

std::vector<Finding> check(const Case& at_hand) {
  const infer::RunResult* run = at_hand.evidence.run;
  if (run == nullptr || !infer::log_evidence(*run)) return {};
  const infer::LogEvidence all = *infer::log_evidence(*run);
  infer::LogEvidence low = all, high = all;
  for (const infer::ChainResult& chain : run->chains) {
    const infer::LogEvidence one = *infer::log_evidence(chain);
    if (one.value < low.value) low = one;
    if (one.value > high.value) high = one;
  }
  const bool disagree =
      high.value - low.value > kFar * std::sqrt(low.error * low.error + high.error * high.error);
  if (!disagree && !(all.error > kNotKnown)) return {};
  Finding finding{.id = "uncertain_evidence", .level = Level::warning};
  finding.text = disagree ? "Chains that estimate the log evidence apart say " + number(low.value) +
                                " and " + number(high.value) +
                                ", which differ by more than their errors " + number(low.error) +
                                " and " + number(high.error) + ": some miss a part of the mass."
                          : "The log evidence " + number(all.value) + " has the error " +
                                number(all.error) + ": the evidence may be off by a third or more.";
  finding.remedy =
      "Use more particles (--draws), more moves (--num-moves) or smaller steps "
      "(--conditional-ess 0.95) with --sampler smc; more rungs with --sampler tempering.";
  return {finding};
}
}  // namespace

const FindingSpec uncertain_evidence{.id = "uncertain_evidence",
                                     .title = "a log evidence that isn't known",
                                     .explains = {},
                                     .check = check};

}  // namespace credo::verdict::uncertain_evidence_row
