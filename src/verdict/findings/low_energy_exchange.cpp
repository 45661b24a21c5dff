// E-BFMI [betancourt2016]: how much of the energy's spread a new momentum brings. The bound 0.3 is
// the method's; a single chain's estimate from 1000 draws has a standard error near 0.04, so that
// one chain alone must be below 0.2. Its subject, ends of the energy that weren't reached,
// isn't there where the draws agree with the integrated density over the sampled range, and the
// chains with each other: a note. If most trajectories were cut off, this is the reason.
#include "diagnose/summary.hpp"
#include "verdict/findings.hpp"
#include "verdict/mass_gaps.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::low_energy_exchange_row {
namespace {
constexpr double kMean = 0.3, kOne = 0.2, kBad = 0.1;
constexpr Index kFewestDraws = 100;
constexpr double kAgree = 1.03;  // R-hat
constexpr double kCutOff = 0.5;  // of the transitions

bool has_reached_all(const Case& at_hand) {
  return are_all_cleared(at_hand) &&
         std::none_of(at_hand.columns.begin(), at_hand.columns.end(),
                      [](const Column& column) { return column.r_hat > kAgree; });
}

std::vector<Finding> check(const Case& at_hand) {
  const std::vector<double>& energy = at_hand.statistic("energy");
  if (energy.empty() || at_hand.num_draws < kFewestDraws || at_hand.share_cut_off() > kCutOff)
    return {};
  const std::vector<double> all = diagnose::e_bfmi({energy, at_hand.num_draws, at_hand.num_chains});
  double sum = 0.0, least = kInfinity;
  for (const double value : all) {
    if (std::isnan(value)) return {};
    sum += value;
    least = std::min(least, value);
  }
  const double mean = sum / static_cast<double>(all.size());
  if (mean >= kMean && least >= kOne) return {};
  return {{.id = "low_energy_exchange",
           .level = has_reached_all(at_hand) ? Level::note
                    : mean < kBad            ? Level::bad
                                             : Level::warning,
           .text = "The energy hardly changes from draw to draw: E-BFMI is " + number(least) +
                   " in the worst chain, " + number(mean) +
                   " on average. The sampler walks slowly through the tails of the energy and may "
                   "not have reached their ends.",
           .remedy = "Heavy tails or a scale that ties many parameters together do this: write the "
                     "model in coordinates without them (x = scale * z, z ~ std_normal())."}};
}
}  // namespace

const FindingSpec low_energy_exchange{.id = "low_energy_exchange",
                                      .title = "low exchange of energy",
                                      .explains = {"few_draws"},
                                      .check = check};

}  // namespace credo::verdict::low_energy_exchange_row
