// Record of nested sampling's points: their likelihoods, and how much of the prior lies above each.
//
//   ξ(L) = mass of the prior with a likelihood above L,   Z = ∫₀¹ L dξ
//   point i dies as the lowest of n_i that are uniform on (0, ξ_{i-1}):  ξ_i = t ξ_{i-1},  t ~ Beta(n_i, 1),
//   E log t = -1 / n_i,  Var log t = 1 / n_i² [skilling2006]
#pragma once
#include "base/rng.hpp"

namespace credo::infer {

// Points in the order in which they died: likelihoods don't fall. Plain data.
struct DeadPoints {
  std::vector<double> log_likelihoods;  // finite
  std::vector<double> num_live;         // at the death of each, itself included

  // The share of the prior that has a likelihood: mean and variance of its logarithm.
  double log_start = 0.0, start_variance = 0.0;

  void add(double log_likelihood, Index num_live_then);
  // num_drawn points were drawn from the prior until num_points of them had a likelihood: -Σ 1/j, j from
  // num_points to num_drawn - 1, is its logarithm without bias, as if the others had died first.
  void begin_with(Index num_points, Index num_drawn);
  Index size() const { return ssize(log_likelihoods); }

  static void saved(auto& self, auto&& field) {
    field(self.log_likelihoods);
    field(self.num_live);
    field(self.log_start);
    field(self.start_variance);
  }
};

// log Z by the trapezium rule, Σ ½ (L_{i-1} + L_i)(ξ_{i-1} - ξ_i) with log ξ_i at its mean, as points die;
// what lies above the last one isn't in it.
class NestedSum {
 public:
  explicit NestedSum(double log_start = 0.0) : log_mass_(log_start) {}
  void add(double log_likelihood, double num_live);
  double log_mass() const { return log_mass_; }          // log ξ, the remaining mass
  double log_evidence() const { return log_evidence_; }  // -infinity of no point
  static void saved(auto& self, auto&& field) {
    field(self.log_mass_);
    field(self.log_evidence_);
    field(self.last_);
  }

 private:
  double log_mass_, log_evidence_ = -kInfinity, last_ = -kInfinity;
};

// Evidence of a list that ends with the last live points: all of the prior is in it.
struct NestedEvidence {
  double log_evidence = -kInfinity;
  double information = 0.0;  // Σ p_i log(L_i / Z): how far the posterior is within the prior, nats
  std::vector<double>
      log_weights;  // log p_i, which add up to 1: the points as draws of the posterior
};
NestedEvidence nested_evidence(const DeadPoints& dead);

// The standard deviation of log Z over the shrinkage that isn't known: simulated, and to first order,
//   Σ_i R_i² / n_i²,   R_i = share of the evidence below ξ_{i-1}.
double simulated_error(const DeadPoints& dead, Index num_simulations, Rng& rng);
double first_order_error(const DeadPoints& dead);

// A new point's likelihood has any rank among the others' with the same probability, if it was drawn from the
// prior above the threshold [fowlie2020]. Plain data.
class InsertionRanks {
 public:
  InsertionRanks() : counts_(kNumBins, 0.0) {}
  // `below` of `others` are lower, `equal` are the same: its place among these is drawn.
  void add(Index below, Index equal, Index others, Rng& rng);
  // P-value of the statistic of Kolmogorov and Smirnov at the ends of 100 bins; NaN for fewer than 100 ranks.
  double p_value() const;
  static void saved(auto& self, auto&& field) { field(self.counts_); }

 private:
  static constexpr std::size_t kNumBins = 100;
  std::vector<double> counts_;
};

// `count` of weighted points, and their log weights: those whose weights exceed c stay as they are, the
// others are drawn systematically and have the weight c, where c is such that there are as many
// [fearnhead2003]. Each point is expected to have the weight it had. Fewer points than requested come
// several times, with equal weights. Log weights add up to 1; u in [0, 1).
struct ChosenPoints {
  std::vector<Index> points;  // ascending
  std::vector<double> log_weights;
};
ChosenPoints choose_weighted(std::span<const double> log_weights, Index count, double u);

}  // namespace credo::infer
