#include "score/predictions.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "diagnose/chains.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "numerics/order_statistics.hpp"
#include "numerics/radix_sort.hpp"
#include "numerics/special.hpp"

namespace credo::score {
namespace {
constexpr std::array<std::string_view, kNumForms> kFormNames{"classes",   "normal", "point",
                                                             "quantiles", "draws",  "likelihood"};

template <class T>
std::vector<T> picked(const std::vector<T>& all, std::span<const Index> rows, Index width = 1) {
  std::vector<T> some;
  if (all.empty()) return some;
  for (const Index i : rows)
    for (Index d = 0; d < width; ++d) some.push_back(all[static_cast<std::size_t>(i * width + d)]);
  return some;
}

// Place of a level among those of the table; -1 if it isn't there.
Index place_of_level(const Predictions& all, double level) {
  constexpr double kRounding = 1e-9;  // 1 - 0.95 isn't 0.05
  for (std::size_t k = 0; k < all.levels.size(); ++k)
    if (std::abs(all.levels[k] - level) < kRounding) return static_cast<Index>(k);
  return -1;
}
}  // namespace

std::string_view name_of(Form form) { return kFormNames[static_cast<std::size_t>(form)]; }

std::vector<Index> known_rows(const Predictions& all) {
  std::vector<Index> rows;
  for (Index i = 0; i < all.num_rows(); ++i)
    if (all.knows_outcome(i)) rows.push_back(i);
  return rows;
}

Predictions rows_of(const Predictions& all, std::span<const Index> rows) {
  Predictions some = all;
  some.values.values.clear(), some.logs.values.clear(), some.logits.values.clear();
  for (const Index i : rows) {
    some.values.add(all.values[i]);
    if (all.logs.num_columns > 0) some.logs.add(all.logs[i]);
    if (all.logits.num_columns > 0) some.logits.add(all.logits[i]);
  }
  some.outcomes = picked(all.outcomes, rows, all.dimension);
  some.weights = picked(all.weights, rows);
  some.log_density = picked(all.log_density, rows);
  some.log_true = picked(all.log_true, rows);
  some.confidence = picked(all.confidence, rows);
  some.blocks = picked(all.blocks, rows);
  return some;
}

Index num_crossing(const Predictions& all) {
  Index count = 0;
  for (Index i = 0; all.form == Form::quantiles && i < all.num_rows(); ++i)
    count += std::is_sorted(all.values[i].begin(), all.values[i].end()) ? 0 : 1;
  return count;
}

void sort_draws(Predictions& all) {
  if (all.dimension > 1) return;
  for (Index i = 0; i < all.num_rows(); ++i) {
    const auto first = all.values.values.begin() + i * all.values.num_columns;
    numerics::sort(std::span(first, first + all.values.num_columns));
  }
}

Halves split(const Predictions& all, double share, std::uint64_t seed) {
  const Index n = all.num_rows();
  const auto count = static_cast<Index>(std::round(share * static_cast<double>(n)));
  if (count < 1 || count >= n)
    throw Error(ErrorCode::usage, fmt::format("{} of {} rows leave one part empty", count, n),
                "--split", "name another share, or two files");
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  Rng rng({.seed = seed, .purpose = kScoreStream, .chain = 0, .iteration = 0});
  for (Index i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(rng.index_below(i + 1))]);
  const auto middle = order.begin() + count;
  std::sort(order.begin(), middle), std::sort(middle, order.end());
  return {rows_of(all, std::span(order.begin(), middle)),
          rows_of(all, std::span(middle, order.end()))};
}

Index likeliest_class(const Predictions& all, Index row) {
  const std::span<const double> values = all.values[row];
  return std::max_element(values.begin(), values.end()) - values.begin();
}

bool has_quantile(const Predictions& all, double level) {
  switch (all.form) {
    case Form::normal:
      return true;
    case Form::draws:
      return all.dimension == 1;
    case Form::quantiles:
      return place_of_level(all, level) >= 0;
    default:
      return false;
  }
}

double quantile_of(const Predictions& all, Index row, double level) {
  if (!has_quantile(all, level)) return kNaN;
  const std::span<const double> values = all.values[row];
  if (all.form == Form::normal) return values[0] + values[1] * numerics::inv_phi(level);
  if (all.form == Form::quantiles)
    return values[static_cast<std::size_t>(place_of_level(all, level))];
  return numerics::quantile_of_sorted(values, level);
}

double mean_of(const Predictions& all, Index row) {
  if (all.form == Form::normal || all.form == Form::point) return all.values[row][0];
  return all.form == Form::draws && all.dimension == 1 ? diagnose::mean(all.values[row]) : kNaN;
}

double sd_of(const Predictions& all, Index row) {
  if (all.form == Form::normal) return all.values[row][1];
  return all.form == Form::draws && all.dimension == 1
             ? std::sqrt(diagnose::variance(all.values[row]))
             : kNaN;
}

std::vector<double> log_softmax(std::span<const double> logits) {
  const double total = numerics::log_sum_exp(logits);
  std::vector<double> logs(logits.begin(), logits.end());
  for (double& x : logs) x -= total;
  return logs;
}

ClassProbabilities distribution_of_logits(std::span<const double> logits) {
  ClassProbabilities distribution{{}, log_softmax(logits)};
  for (const double x : distribution.logs) distribution.probabilities.push_back(numerics::exp(x));
  return distribution;
}

ClassProbabilities distribution_of_probabilities(std::vector<double> probabilities) {
  ClassProbabilities distribution{std::move(probabilities), {}};
  for (const double x : distribution.probabilities) distribution.logs.push_back(numerics::log(x));
  return distribution;
}

void add_distribution(Predictions& all, const ClassProbabilities& distribution) {
  all.values.num_columns = all.logs.num_columns = ssize(distribution.logs);
  all.values.add(distribution.probabilities), all.logs.add(distribution.logs);
}

}  // namespace credo::score
