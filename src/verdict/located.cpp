#include "verdict/located.hpp"

#include <boost/math/special_functions/gamma.hpp>

namespace credo::verdict {
namespace {
constexpr Index kMostColumns = 500;
constexpr double kChance = 1e-3;  // for all columns together
}  // namespace

Index num_marked(std::span<const double> marks) {
  return std::count_if(marks.begin(), marks.end(), [](double x) { return x > 0.0; });
}

bool exceeds(Index count, Index total, double share) {
  constexpr double kByChance = 0.05;
  const double expected = share * static_cast<double>(total);
  return static_cast<double>(count) > expected &&
         boost::math::gamma_p(static_cast<double>(count), expected) < kByChance;
}

double mean_of_marked(const diagnose::Chains& draws, std::span<const double> marks) {
  std::vector<double> marked;
  for (std::size_t s = 0; s < marks.size(); ++s)
    if (marks[s] > 0.0) marked.push_back(draws.values[s]);
  return marked.empty() || marked.size() == marks.size() ? kNaN : diagnose::mean(marked);
}

// Wilcoxon's rank sum with its normal limit; draws are taken as independent, which marked ones,
// far apart in a run, nearly are.
Located located_in(const diagnose::Chains& values, Index column, std::span<const double> marks) {
  const diagnose::ChainsCopy ranks = diagnose::ranks(values);
  std::vector<double> marked;
  double sum = 0.0;
  for (std::size_t s = 0; s < marks.size(); ++s) {
    if (!(marks[s] > 0.0)) continue;
    sum += ranks.values[s];
    marked.push_back(values.values[s]);
  }
  const double n = static_cast<double>(marks.size()), m = static_cast<double>(marked.size());
  Located result{.column = column};
  if (m == 0.0 || m == n) return result;
  result.z = (sum - m * (n + 1.0) / 2.0) / std::sqrt(m * (n - m) * (n + 1.0) / 12.0);
  result.mean = diagnose::mean(marked);
  result.median = diagnose::quantile(marked, 0.5);
  const auto below = std::count_if(values.values.begin(), values.values.end(),
                                   [&](double x) { return x < result.median; });
  result.share_below = static_cast<double>(below) / n;
  return result;
}

Located located(const Case& at_hand, std::span<const double> marks) {
  const std::size_t count =
      std::min(at_hand.sampled.size(), static_cast<std::size_t>(kMostColumns));
  const auto asked = std::span(at_hand.sampled).first(count);
  std::vector<Located> all(count);
  at_hand.each_column(asked, [&](std::size_t k, const diagnose::Chains& draws) {
    all[k] = located_in(draws, asked[k], marks);
  });
  Located best;
  for (const Located& here : all)
    if (std::fabs(here.z) > std::fabs(best.z)) best = here;
  const double p = std::erfc(std::fabs(best.z) / std::sqrt(2.0));
  if (p * static_cast<double>(count) > kChance) best.column = -1;
  return best;
}

}  // namespace credo::verdict
