// Chains that disagree. Size and significance: R-hat above 1.03, and a difference of the chains'
// means that their own autocorrelation doesn't allow (mixing_p_value), at 1 in 1000 for all outputs
// together. Healthy chains worth 400 draws reach R-hat 1.03 in one of a few hundred outputs; their
// p-values don't. Chains that are too short for this have few effective draws, which is another finding.
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::not_mixed_row {
namespace {
constexpr double kSize = 1.03, kLarge = 1.1;
constexpr double kFalseAlarms = 1e-3;  // for all outputs together
constexpr std::size_t kMostAsked = 50;

std::vector<Index> suspects(const Case& at_hand) {
  std::vector<Index> worst;
  for (const Column& column : at_hand.columns)
    if (column.r_hat > kSize) worst.push_back(column.index);
  const auto r_hat = [&](Index k) { return at_hand.columns[static_cast<std::size_t>(k)].r_hat; };
  const auto sampled = [&](Index k) {
    return at_hand.columns[static_cast<std::size_t>(k)].sampled;
  };
  std::stable_sort(worst.begin(), worst.end(), [&](Index a, Index b) {
    return sampled(a) != sampled(b) ? sampled(a) : r_hat(a) > r_hat(b);
  });
  worst.resize(std::min(worst.size(), kMostAsked));
  return worst;
}

std::vector<Finding> check(const Case& at_hand) {
  if (at_hand.is_of_approximation()) return {};  // independent draws
  Finding finding{.id = "not_mixed"};
  double largest = 0.0;
  std::optional<Index> first;
  for (const Index k : suspects(at_hand)) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    const double p = mixing_p_value(at_hand.draws(k));
    if (!(p * static_cast<double>(at_hand.num_judged) < kFalseAlarms)) continue;
    if (!first) first = k;
    finding.parameters.push_back(column.name);
    largest = std::max(largest, column.r_hat);
  }
  if (!first) return {};
  finding.level = largest > kLarge ? Level::bad : Level::warning;
  finding.place = at_hand.place_of(*first);
  const std::string chain(at_hand.chain_word());
  finding.text = "The " + chain + "s haven't found the same distribution: R-hat is up to " +
                 r_hat_text(largest) + ", for " + listed(finding.parameters) +
                 ", more than chance explains. Each " + chain +
                 " has seen only a part of the posterior.";
  if (at_hand.is_of_particles()) {
    finding.remedy = "Make the populations better: " + std::string(kBetterPopulations) + ".";
    return {finding};
  }
  finding.remedy =
      "Run longer (twice --warmup and --draws); if that doesn't help, inspect the chains one by "
      "one: parameters that are strongly correlated mix faster with --metric dense_e or in other "
      "coordinates.";
  return {finding};
}
}  // namespace

const FindingSpec not_mixed{.id = "not_mixed",
                            .title = "the chains disagree",
                            .explains = {"few_draws"},
                            .check = check,
                            .of_chains = true};

}  // namespace credo::verdict::not_mixed_row
