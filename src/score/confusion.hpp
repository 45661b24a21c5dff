// Classifiers as channels: confusion, error rates with their posteriors, and what a verdict is worth where events are rarer or
// more frequent [fawcett2006].
#pragma once
#include "score/predictions.hpp"

namespace credo::score {

// counts[k K + l]: rows of class k that were called l.
struct Confusion {
  Index num_classes = 0;
  std::vector<Index> counts;
  // Mean probability of l in rows of class k: the mean of p(l | x) over draws x of class k, without a decision.
  std::vector<double> expected;
  Index at(Index truth, Index called) const {
    return counts[static_cast<std::size_t>(truth * num_classes + called)];
  }
};
// Confusion by the likeliest class; with two classes the second is called where its probability is above the threshold.
Confusion confusion_of(const Predictions& all, double threshold = 0.5);

struct BetaDistribution {
  double a = 1.0, b = 1.0;
  double mean() const { return a / (a + b); }
  double mode() const { return (a - 1.0) / (a + b - 2.0); }  // for a, b >= 1, not both 1
  double quantile(double p) const;
};

// Errors with two classes. e0 = P(called 1 | 0), e1 = P(called 0 | 1).
struct ErrorRates {
  Index positives = 0, negatives = 0, false_positives = 0, false_negatives = 0;
  // Their posteriors, the priors uniform: Beta(1 + FP, 1 + N0 - FP) and Beta(1 + FN, 1 + N1 - FN).
  BetaDistribution e0, e1;
  double share_positive() const;  // f = N1 / N
  double rate0() const;           // FP / N0
  double rate1() const;           // FN / N1
  double auc = kNaN;              // P(a row of 1 has the higher probability), of equal ones half
};
// Throws Error(usage) for other than two classes, Error(data) where a class has no row.
ErrorRates error_rates_of(const Predictions& all, double threshold = 0.5);

// Distribution P(truth | called) of the channel: prior (1 - f, f), errors e0, e1.
struct VerdictValue {
  double positive = kNaN;  // P(1 | called 1)
  double negative = kNaN;  // P(0 | called 0)
};
VerdictValue verdict_value(double prevalence, double e0, double e1);

// Probabilities where classes are as frequent as `target` says, made where they were as frequent as `source`:
// p_k target_k / source_k, divided by the sum. Throws Error(usage) for other than K numbers above 0.
Predictions with_class_shares(const Predictions& all, std::span<const double> source,
                              std::span<const double> target);
std::vector<double> class_shares(const Predictions& all);  // shares among rows with an outcome

}  // namespace credo::score
