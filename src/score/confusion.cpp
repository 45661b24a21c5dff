#include "score/confusion.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "numerics/elementary.hpp"
#include "numerics/incomplete_beta.hpp"

namespace credo::score {
namespace {
Index called(const Predictions& all, Index row, double threshold) {
  if (all.num_classes() == 2) return all.values[row][1] > threshold ? 1 : 0;
  return likeliest_class(all, row);
}

// By ranks, of equal ones the mean: (Σ ranks of class 1 - N1 (N1 + 1) / 2) / (N0 N1).
double area_of(const Predictions& all) {
  std::map<double, std::pair<double, double>> counts;  // by probability: rows of 0, rows of 1
  for (const Index i : known_rows(all)) {
    auto& [zero, one] = counts[all.logits_of(i)[1] - all.logits_of(i)[0]];
    (all.label(i) == 1 ? one : zero) += 1.0;
  }
  double below = 0.0, ones = 0.0, sum = 0.0;
  for (const auto& [place, own] : counts) {
    sum += own.second * (below + 0.5 * own.first);
    below += own.first, ones += own.second;
  }
  return sum / (below * ones);
}
}  // namespace

Confusion confusion_of(const Predictions& all, double threshold) {
  const Index k = all.num_classes();
  Confusion confusion{.num_classes = k,
                      .counts = std::vector<Index>(static_cast<std::size_t>(k * k), 0),
                      .expected = std::vector<double>(static_cast<std::size_t>(k * k), 0.0)};
  std::vector<double> totals(static_cast<std::size_t>(k), 0.0);
  for (const Index i : known_rows(all)) {
    const auto truth = all.label(i), first = truth * static_cast<std::size_t>(k);
    ++confusion.counts[first + static_cast<std::size_t>(called(all, i, threshold))];
    totals[truth] += 1.0;
    for (std::size_t l = 0; l < static_cast<std::size_t>(k); ++l)
      confusion.expected[first + l] += all.values[i][l];
  }
  for (std::size_t e = 0; e < confusion.expected.size(); ++e)
    confusion.expected[e] /= totals[e / static_cast<std::size_t>(k)];
  return confusion;
}

double BetaDistribution::quantile(double p) const { return numerics::inv_inc_beta(a, b, p); }

double ErrorRates::share_positive() const {
  return static_cast<double>(positives) / static_cast<double>(positives + negatives);
}
double ErrorRates::rate0() const {
  return static_cast<double>(false_positives) / static_cast<double>(negatives);
}
double ErrorRates::rate1() const {
  return static_cast<double>(false_negatives) / static_cast<double>(positives);
}

ErrorRates error_rates_of(const Predictions& all, double threshold) {
  if (all.num_classes() != 2)
    throw Error(ErrorCode::usage, fmt::format("there are {} classes, not two", all.num_classes()),
                all.source, "error rates are those of a decision between two classes");
  const Confusion confusion = confusion_of(all, threshold);
  ErrorRates rates{.positives = confusion.at(1, 0) + confusion.at(1, 1),
                   .negatives = confusion.at(0, 0) + confusion.at(0, 1),
                   .false_positives = confusion.at(0, 1),
                   .false_negatives = confusion.at(1, 0),
                   .e0 = {},
                   .e1 = {}};
  if (rates.positives == 0 || rates.negatives == 0)
    throw Error(ErrorCode::data,
                fmt::format("no row is of class {}", all.classes[rates.positives == 0 ? 1 : 0]),
                all.source, "error rates are shares of the rows of each class");
  const auto distribution = [](Index errors, Index count) {
    return BetaDistribution{1.0 + static_cast<double>(errors),
                            1.0 + static_cast<double>(count - errors)};
  };
  rates.e0 = distribution(rates.false_positives, rates.negatives);
  rates.e1 = distribution(rates.false_negatives, rates.positives);
  rates.auc = area_of(all);
  return rates;
}

VerdictValue verdict_value(double prevalence, double e0, double e1) {
  const double f = prevalence;
  return {f * (1.0 - e1) / (f * (1.0 - e1) + (1.0 - f) * e0),
          (1.0 - f) * (1.0 - e0) / ((1.0 - f) * (1.0 - e0) + f * e1)};
}

Predictions with_class_shares(const Predictions& all, std::span<const double> source,
                              std::span<const double> target) {
  const auto k = all.classes.size();
  const auto is_fine = [&](std::span<const double> shares) {
    return shares.size() == k &&
           std::all_of(shares.begin(), shares.end(), [](double x) { return x > 0.0; });
  };
  if (!is_fine(source) || !is_fine(target))
    throw Error(ErrorCode::usage, fmt::format("{} classes need {} shares above 0 each", k, k),
                "--class-shares", "one for each class, in the order of the columns");
  Predictions other = all;
  other.values = other.logs = {}, other.logits = {.num_columns = all.num_classes()};
  for (Index i = 0; i < all.num_rows(); ++i) {
    std::vector<double> logits(all.logits_of(i).begin(), all.logits_of(i).end());
    for (std::size_t c = 0; c < k; ++c)
      logits[c] += numerics::log(target[c]) - numerics::log(source[c]);
    other.logits.add(logits), add_distribution(other, distribution_of_logits(logits));
  }
  return other;
}

std::vector<double> class_shares(const Predictions& all) {
  std::vector<double> shares(all.classes.size(), 0.0);
  const std::vector<Index> rows = known_rows(all);
  for (const Index i : rows) shares[all.label(i)] += 1.0;
  for (double& x : shares) x /= static_cast<double>(rows.size());
  return shares;
}

}  // namespace credo::score
