// Populations whose draws all come from a few of their first particles: what those missed is lost, and moves
// had to make up for it.
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::few_ancestors_row {
namespace {
constexpr double kWarn = 10.0, kBad = 3.0;

std::vector<Finding> check(const Case& at_hand) {
  if (at_hand.evidence.run == nullptr) return {};
  double fewest = kInfinity;
  for (const infer::ChainResult& chain : at_hand.evidence.run->chains)
    for (const infer::TunedSetting& setting : chain.tuned)
      if (setting.name == "num_ancestors" && !setting.values.empty())
        fewest = std::min(fewest, setting.values[0]);
  if (!(fewest < kWarn)) return {};
  return {
      {.id = "few_ancestors",
       .level = fewest < kBad ? Level::bad : Level::warning,
       .text = "All draws of a population come from " + whole(fewest) +
               " of its first particles: what these missed is lost, the log evidence is rough, and "
               "the draws are as good as the moves alone.",
       .remedy = "Move more (--num-moves), go in smaller steps (--conditional-ess 0.95), take more "
                 "particles (--draws), or know their covariance (--move-metric dense_e)."}};
}
}  // namespace

const FindingSpec few_ancestors{.id = "few_ancestors",
                                .title = "draws that come from a few particles",
                                .explains = {},
                                .check = check};

}  // namespace credo::verdict::few_ancestors_row
