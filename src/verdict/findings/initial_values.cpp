// Chains that hardly found a place to start. A program whose density is zero on half of the initial
// cube needs 20 tries once in a million chains.
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace {
constexpr Index kManyTries = 20;

std::vector<Finding> check(const Case& at_hand) {
  if (at_hand.evidence.run == nullptr) return {};
  const auto& chains = at_hand.evidence.run->chains;
  Index most = 0;
  std::vector<std::string> which;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    most = std::max(most, chains[c].num_init_tries);
    if (chains[c].num_init_tries >= kManyTries) which.push_back(std::to_string(c + 1));
  }
  if (which.empty()) return {};
  std::string why;
  if (!at_hand.evidence.run->refusals.empty())
    why = " Most often refused: " + at_hand.evidence.run->refusals.front().reason + ".";
  return {{.id = "initial_values",
           .level = Level::warning,
           .text = std::string(which.size() == 1 ? "Chain " : "Chains ") + listed(which) +
                   " took up to " + std::to_string(most) +
                   " random points to find one with a finite density: most of the space where "
                   "chains begin is impossible." +
                   why,
           .remedy = "Declare the constraints that the densities need (real<lower=0> for a scale), "
                     "give initial values with --init FILE, or a smaller radius with --init 0.5."}};
}
}  // namespace

const FindingSpec initial_values{
    .id = "initial_values", .title = "trouble to find a start", .explains = {}, .check = check};

}  // namespace credo::verdict
