// Two predictions of the same rows: paired differences of scores, regret, distances of their distributions.
#pragma once
#include "score/scores.hpp"

namespace credo::score {

struct Difference {
  const ScoreRow* score = nullptr;
  Figure first, second;
  double difference = kNaN,
         error = kNaN;  // mean of first less second over rows, and its paired standard error
};
// Differences of every score that applies to both. Throws Error(data) if rows or their outcomes differ.
std::vector<Difference> compare(const Predictions& first, const Predictions& second,
                                const ScoreOptions& options = {});
void require_same_outcomes(const Predictions& first, const Predictions& second);

// Losses added up in the order of the rows: for predictions that were made row by row, each before its outcome was known,
// the prequential loss [dawid1984]. A score that is better the higher counts negatively.
std::vector<double> cumulative_loss(const ScoreRow& score, const Predictions& all,
                                    const ScoreOptions& options = {});
// Σ_t (loss of `online` - loss of `hindsight`): how much was lost against one who knew all rows.
double regret(const ScoreRow& score, const Predictions& online, const Predictions& hindsight,
              const ScoreOptions& options = {});

// Mean over rows of distances of the distributions, of classes and of normal distributions.
struct DistributionDistances {
  double l2 = kNaN;         // (∫ (p - q)²)^½
  double hellinger = kNaN;  // 2 ∫ (√p - √q)², which is an α-divergence, α = 0
};
DistributionDistances distribution_distances(const Predictions& first, const Predictions& second);
double l2_distance(std::span<const double> p, std::span<const double> q);
double hellinger_divergence(std::span<const double> p, std::span<const double> q);

}  // namespace credo::score
