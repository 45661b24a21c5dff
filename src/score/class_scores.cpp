// Scores of probabilities of classes.
#include "score/scores.hpp"

namespace credo::score {
namespace {
bool is_of_classes(const Predictions& all, const ScoreOptions&) {
  return all.form == Form::classes;
}

double is_right(const Predictions& all, Index row, const ScoreOptions&) {
  return likeliest_class(all, row) == static_cast<Index>(all.label(row)) ? 1.0 : 0.0;
}

// (1 / K) Σ_k (p_k - 1[y = k])²: for two classes (p - y)².
double brier_of(const Predictions& all, Index row, const ScoreOptions&) {
  const std::span<const double> p = all.values[row];
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double difference = p[k] - (k == all.label(row) ? 1.0 : 0.0);
    sum += difference * difference;
  }
  return sum / static_cast<double>(p.size());
}

double entropy_of(const Predictions& all, Index row, const ScoreOptions&) {
  double sum = 0.0;
  for (std::size_t k = 0; k < all.classes.size(); ++k)
    if (all.values[row][k] > 0.0) sum -= all.values[row][k] * all.logs[row][k];
  return sum;
}

// p_y / |p|.
double spherical_of(const Predictions& all, Index row, const ScoreOptions&) {
  const std::span<const double> p = all.values[row];
  return p[all.label(row)] / std::sqrt(std::inner_product(p.begin(), p.end(), p.begin(), 0.0));
}
}  // namespace

extern const ScoreRow accuracy_score{.name = "accuracy",
                                     .words = "share of rows whose likeliest class is right",
                                     .higher_is_better = true,
                                     .reference = "murphy2023",
                                     .applies = is_of_classes,
                                     .of_row = is_right};
extern const ScoreRow brier_score{
    .name = "brier",
    .words = "mean square of probabilities less indicators of the class",
    .reference = "brier1950",
    .applies = is_of_classes,
    .of_row = brier_of};
extern const ScoreRow entropy_score{
    .name = "entropy",
    .words = "entropy of the predictions in nats: what the log score would be if they were right",
    .is_proper = false,
    .needs_outcome = false,
    .reference = "murphy2023",
    .applies = is_of_classes,
    .of_row = entropy_of};
extern const ScoreRow spherical_score{.name = "spherical",
                                      .words = "probability of the outcome over the length of all",
                                      .higher_is_better = true,
                                      .reference = "gneiting2007",
                                      .applies = is_of_classes,
                                      .of_row = spherical_of};

std::vector<double> smoothed_target(std::size_t num_classes, std::size_t label, double smoothing) {
  std::vector<double> target(num_classes, smoothing / static_cast<double>(num_classes));
  target[label] += 1.0 - smoothing;
  return target;
}

}  // namespace credo::score
