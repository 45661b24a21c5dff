#include "models/information/dependence.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stream.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kPermutations = stream("information.permutations");

std::size_t cell_of(const LevelRows& rows, std::size_t n) {
  return static_cast<std::size_t>(
      (rows.first[n] * rows.num_second + rows.second[n]) * rows.num_given + rows.given[n]);
}

// Numbers of rows by the levels of the condition, to permute within.
std::vector<std::vector<std::size_t>> strata_of(const LevelRows& rows) {
  std::vector<std::vector<std::size_t>> strata(static_cast<std::size_t>(rows.num_given));
  for (std::size_t n = 0; n < rows.given.size(); ++n)
    strata[static_cast<std::size_t>(rows.given[n])].push_back(n);
  return strata;
}

// sum n log n over the joint counts. The rest of the plug-in estimate is the same for all permutations.
double joint_term(const LevelRows& rows, std::vector<double>& counts) {
  std::ranges::fill(counts, 0.0);
  for (std::size_t n = 0; n < rows.first.size(); ++n) counts[cell_of(rows, n)] += 1.0;
  double sum = 0.0;
  for (const double n : counts)
    if (n > 0.0) sum += n * std::log(n);
  return sum;
}

double permutation_p_value(LevelRows rows, const DependenceOptions& options) {
  const auto strata = strata_of(rows);
  std::vector<double> counts(
      static_cast<std::size_t>(rows.num_first * rows.num_second * rows.num_given));
  const double own = joint_term(rows, counts);
  const double rounding = 1e-9 * std::abs(own);
  Index as_large = 1;
  for (Index k = 0; k < options.num_permutations; ++k) {
    options.stop_if_asked();
    Rng rng({.seed = options.seed,
             .purpose = kPermutations,
             .iteration = static_cast<std::uint32_t>(k)});
    for (const std::vector<std::size_t>& stratum : strata)
      for (std::size_t j = stratum.size(); j > 1; --j)
        std::swap(
            rows.first[stratum[j - 1]],
            rows.first[stratum[static_cast<std::size_t>(rng.index_below(static_cast<Index>(j)))]]);
    as_large += joint_term(rows, counts) >= own - rounding ? 1 : 0;
  }
  return static_cast<double>(as_large) / static_cast<double>(options.num_permutations + 1);
}

double estimate(const JointTable& counts, std::span<const Index> of,
                const EntropyEstimator& estimator, const EntropyOptions& options) {
  const CountSample sample = count_sample(counts.margin(of));
  if (sample.num_states == 1) return 0.0;
  if (estimator.refusal != nullptr)
    if (const std::string why = estimator.refusal(sample); !why.empty())
      throw Error(ErrorCode::data, why, "--estimator",
                  "--estimator plugin or miller_madow answer, with a large bias; more rows help");
  return estimator.estimate(sample, options).value;
}

struct Spread {
  double variance = 0.0, freedom = 0.0;
};
// The variance over rows of the log ratio, and the degrees of freedom over levels that occur.
Spread spread_of(const JointTable& counts) {
  const Index fg[] = {0, 2}, sg[] = {1, 2}, g[] = {2};
  const std::vector<double> with_first = counts.margin(fg), with_second = counts.margin(sg),
                            given = counts.margin(g);
  const auto num_s = static_cast<std::size_t>(counts.sizes[1]),
             num_g = static_cast<std::size_t>(counts.sizes[2]);
  const double total = counts.total();
  double mean = 0.0, squares = 0.0;
  for (std::size_t k = 0; k < counts.cells.size(); ++k) {
    const double n = counts.cells[k];
    if (n == 0.0) continue;
    const std::size_t c = k % num_g, s = k / num_g % num_s, f = k / num_g / num_s;
    const double ratio =
        std::log(n * given[c] / (with_first[f * num_g + c] * with_second[s * num_g + c]));
    mean += n / total * ratio, squares += n / total * ratio * ratio;
  }
  Spread made{.variance = std::max(0.0, squares - mean * mean)};
  for (std::size_t c = 0; c < num_g; ++c) {
    double firsts = 0.0, seconds = 0.0;
    for (std::size_t f = c; f < with_first.size(); f += num_g) firsts += with_first[f] > 0.0;
    for (std::size_t s = c; s < with_second.size(); s += num_g) seconds += with_second[s] > 0.0;
    made.freedom += std::max(0.0, (firsts - 1.0) * (seconds - 1.0));
  }
  return made;
}
}  // namespace

JointTable LevelRows::counts() const {
  JointTable made{.sizes = {num_first, num_second, num_given}, .cells = {}};
  made.cells.assign(static_cast<std::size_t>(num_first * num_second * num_given), 0.0);
  for (std::size_t n = 0; n < first.size(); ++n) made.cells[cell_of(*this, n)] += 1.0;
  return made;
}

InformationEstimate information_of_levels(const LevelRows& rows, const EntropyEstimator& estimator,
                                          const DependenceOptions& options) {
  const JointTable counts = rows.counts();
  const auto h = [&](std::initializer_list<Index> of) {
    return estimate(counts, std::span(of.begin(), of.size()), estimator, options.entropy);
  };
  const double n = counts.total();
  const Spread spread = spread_of(counts);
  InformationEstimate made;
  made.value = h({0, 2}) + h({1, 2}) - h({0, 1, 2}) - h({2});
  // The sample's variance has the expectation variance + freedom / n, as the log ratio's mean has.
  made.sd = std::sqrt(std::max(0.0, spread.variance - spread.freedom / n) / n +
                      spread.freedom / (2.0 * n * n));
  if (options.num_permutations > 0) {
    made.p_value = permutation_p_value(rows, options);
    made.num_permutations = options.num_permutations;
  }
  return made;
}

}  // namespace credo::models
