// A chain that hardly moves while the others do: by the share of transitions that change the log
// density, or a spread that is a fiftieth of the other chains' in half of the parameters or more.
// Healthy chains differ in spread by their sampling error, a few per cent.
#include "diagnose/trace.hpp"
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace {
constexpr double kStill = 0.1, kMoving = 0.5, kNarrow = 0.02;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> without(std::span<const double> values, std::size_t c) {
  std::vector<double> rest(values.begin(), values.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(c));
  return rest;
}

bool hardly_moves(const Case& at_hand, std::size_t c) {
  const std::vector<double>& density = at_hand.statistic("log_density");
  if (density.empty()) return false;
  const diagnose::Chains all{density, at_hand.num_draws, at_hand.num_chains};
  std::vector<double> shares;
  for (Index k = 0; k < at_hand.num_chains; ++k)
    shares.push_back(diagnose::move_fraction({all.chain(k), at_hand.num_draws, 1}));
  return shares[c] < kStill && median(without(shares, c)) > kMoving;
}

bool is_narrow(const Case& at_hand, std::size_t c) {
  std::vector<double> ratios;
  for (const Index k : at_hand.sampled) {
    const std::vector<double>& sd = at_hand.columns[static_cast<std::size_t>(k)].chain_sd;
    ratios.push_back(sd[c] / median(without(sd, c)));
  }
  return !ratios.empty() && median(ratios) < kNarrow;
}

// No draw differs from the one before, of anything that was sampled.
bool stands_still(const Case& at_hand, std::size_t c) {
  return !at_hand.sampled.empty() &&
         std::all_of(at_hand.sampled.begin(), at_hand.sampled.end(), [&](Index k) {
           return at_hand.columns[static_cast<std::size_t>(k)].chain_sd[c] == 0.0;
         });
}

bool is_stuck(const Case& at_hand, std::size_t c) {
  if (stands_still(at_hand, c)) return true;
  return at_hand.num_chains >= 3 && (hardly_moves(at_hand, c) || is_narrow(at_hand, c));
}

std::vector<Finding> check(const Case& at_hand) {
  std::vector<std::string> stuck;
  for (std::size_t c = 0; c < static_cast<std::size_t>(at_hand.num_chains); ++c)
    if (is_stuck(at_hand, c)) stuck.push_back(std::to_string(c + 1));
  if (stuck.empty()) return {};
  const bool all = ssize(stuck) == at_hand.num_chains;
  return {
      {.id = "stuck_chain",
       .level = Level::bad,
       .text = (stuck.size() == 1 ? "Chain " + listed(stuck) + " hardly moves"
                                  : "Chains " + listed(stuck) + " hardly move") +
               (all ? ": the steps don't suit the posterior at all."
                    : " while the others do: it began, or got caught, where steps that suit the "
                      "rest of the posterior fail."),
       .remedy = "Give initial values nearer to the bulk (--init), a longer warm-up, and compare "
                 "with another seed; leaving the chain out is no remedy if the place has "
                 "mass."}};
}
}  // namespace

const FindingSpec stuck_chain{.id = "stuck_chain",
                              .title = "a chain that is stuck",
                              .explains = {"multimodal", "funnel", "not_mixed", "few_draws",
                                           "divergences", "low_energy_exchange", "tree_depth"},
                              .check = check};

}  // namespace credo::verdict
