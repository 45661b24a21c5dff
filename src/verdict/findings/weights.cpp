// Weighted draws of which a few have all the weight: then every figure is that of these few, and the other
// checks read their copies. The shape of the largest weights predicts what more draws would show
// [vehtari2024psis]; the effective number counts those that are there.
#include "diagnose/weights.hpp"
#include "infer/variational/certificate/certificate.hpp"
#include "infer/variational/neutra.hpp"
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::weights_row {
namespace {
constexpr double kReliable = 0.7, kNoMean = 1.0;
constexpr double kWarn = 100.0, kBad = 25.0;  // effective draws, as of chains

std::vector<Finding> check(const Case& at_hand) {
  if (at_hand.is_of_approximation()) return {};  // the finding on approximations grades these
  const std::vector<double> log_weights = at_hand.evidence.draws->log_weights();
  if (log_weights.empty()) return {};
  const double ess = diagnose::weight_ess(log_weights), k = diagnose::weight_pareto_k(log_weights);
  // Draws of an approximation that nearly all count are judged as the approximation itself is.
  const bool nearly_all = at_hand.evidence.run != nullptr &&
                          at_hand.evidence.run->sampler == infer::kNeutraName &&
                          ess >= infer::kShareWithoutK * static_cast<double>(log_weights.size());
  const bool heavy = k > kReliable && !nearly_all, few = !(ess >= kWarn);
  if (!heavy && !few) return {};
  const bool bad = !(ess >= kBad) || (heavy && k > kNoMean);
  Finding finding{.id = "weights", .level = bad ? Level::bad : Level::warning};
  if (std::isnan(ess)) {
    finding.text = "No draw has a weight: the density is 0 at all of them.";
  } else {
    finding.text = "The " + whole(static_cast<double>(log_weights.size())) +
                   " weighted draws are worth " + whole(ess) + " equal ones";
    finding.text +=
        heavy ? ", and the largest weights grow so fast that more draws bring larger ones "
                "(Pareto k " +
                    number(k) + ", reliable below 0.7)."
              : ".";
  }
  finding.remedy =
      "Sample the posterior instead, with --sampler smc, which goes there in steps, or a "
      "chain; draws from the prior fit only where the data say little.";
  return {finding};
}
}  // namespace

const FindingSpec weights{.id = "weights",
                          .title = "a few draws that have all the weight",
                          .explains = {"*"},
                          .check = check};

}  // namespace credo::verdict::weights_row
