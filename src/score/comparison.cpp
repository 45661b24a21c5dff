#include "score/comparison.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "numerics/elementary.hpp"

namespace credo::score {
namespace {
struct NormalDistribution {
  double mean, sd;
};

double normal_density(double x, double sd) {
  return numerics::exp(-0.5 * (x / sd) * (x / sd)) / (sd * std::sqrt(2.0 * M_PI));
}

// ∫ p q of normal distributions is a normal density of the difference of means, variances added.
double l2_of_normals(const NormalDistribution& p, const NormalDistribution& q) {
  const auto product = [](const NormalDistribution& a, const NormalDistribution& b) {
    return normal_density(a.mean - b.mean, std::hypot(a.sd, b.sd));
  };
  return std::sqrt(std::max(0.0, product(p, p) + product(q, q) - 2.0 * product(p, q)));
}

// 4 (1 - ∫ √(p q)).
double hellinger_of_normals(const NormalDistribution& p, const NormalDistribution& q) {
  const double square = p.sd * p.sd + q.sd * q.sd, apart = p.mean - q.mean;
  return 4.0 * (1.0 - std::sqrt(2.0 * p.sd * q.sd / square) *
                          numerics::exp(-0.25 * apart * apart / square));
}

double as_loss(const ScoreRow& score, double value) {
  return score.higher_is_better ? -value : value;
}
}  // namespace

void require_same_outcomes(const Predictions& first, const Predictions& second) {
  if (first.num_rows() != second.num_rows())
    throw Error(
        ErrorCode::data,
        fmt::format("{} rows, {} has {}", second.num_rows(), first.source, first.num_rows()),
        second.source, "compare predictions of the same rows, in the same order");
  if (first.form == Form::classes && second.form == Form::classes &&
      first.classes != second.classes)
    throw Error(ErrorCode::data, "other classes than in " + first.source, second.source,
                "name the columns of both files alike, in the same order");
  for (std::size_t i = 0; i < first.outcomes.size(); ++i) {
    const double a = first.outcomes[i], b = second.outcomes[i];
    if (a != b && !(std::isnan(a) && std::isnan(b)))
      throw Error(ErrorCode::data,
                  fmt::format("the outcome of row {} differs from that in {}",
                              static_cast<Index>(i) / first.dimension + 1, first.source),
                  second.source, "compare predictions of the same rows, in the same order");
  }
}

std::vector<Difference> compare(const Predictions& first, const Predictions& second,
                                const ScoreOptions& options) {
  require_same_outcomes(first, second);
  std::vector<Difference> differences;
  for (const ScoreRow* score : scores_that_apply(first, options)) {
    if (!score->applies(second, options)) continue;
    const std::vector<double> a = row_scores(*score, first, options),
                              b = row_scores(*score, second, options);
    Difference difference{score, figure_of(*score, a), figure_of(*score, b)};
    std::vector<double> apart;
    for (std::size_t i = 0; i < a.size(); ++i) apart.push_back(a[i] - b[i]);
    const Figure mean = mean_figure(apart);
    difference.difference = difference.first.value - difference.second.value;
    difference.error = mean.error;
    if (score->root) difference.error /= difference.first.value + difference.second.value;
    differences.push_back(difference);
  }
  return differences;
}

std::vector<double> cumulative_loss(const ScoreRow& score, const Predictions& all,
                                    const ScoreOptions& options) {
  std::vector<double> sums;
  double sum = 0.0;
  for (const double value : row_scores(score, all, options))
    sums.push_back(sum += as_loss(score, value));
  return sums;
}

double regret(const ScoreRow& score, const Predictions& online, const Predictions& hindsight,
              const ScoreOptions& options) {
  require_same_outcomes(online, hindsight);
  const std::vector<double> a = row_scores(score, online, options),
                            b = row_scores(score, hindsight, options);
  double sum = 0.0;
  for (std::size_t t = 0; t < a.size(); ++t) sum += as_loss(score, a[t]) - as_loss(score, b[t]);
  return sum;
}

double l2_distance(std::span<const double> p, std::span<const double> q) {
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) sum += (p[k] - q[k]) * (p[k] - q[k]);
  return std::sqrt(sum);
}

double hellinger_divergence(std::span<const double> p, std::span<const double> q) {
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double apart = std::sqrt(p[k]) - std::sqrt(q[k]);
    sum += apart * apart;
  }
  return 2.0 * sum;
}

DistributionDistances distribution_distances(const Predictions& first, const Predictions& second) {
  const bool is_known = first.form == second.form && first.classes == second.classes &&
                        (first.form == Form::classes || first.form == Form::normal);
  if (!is_known) return {};
  double l2 = 0.0, hellinger = 0.0;
  for (Index i = 0; i < first.num_rows(); ++i) {
    const std::span<const double> p = first.values[i], q = second.values[i];
    const bool is_normal = first.form == Form::normal;
    l2 += is_normal ? l2_of_normals({p[0], p[1]}, {q[0], q[1]}) : l2_distance(p, q);
    hellinger +=
        is_normal ? hellinger_of_normals({p[0], p[1]}, {q[0], q[1]}) : hellinger_divergence(p, q);
  }
  const auto n = static_cast<double>(first.num_rows());
  return {l2 / n, hellinger / n};
}

}  // namespace credo::score
