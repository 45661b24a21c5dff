// How many points live at a likelihood, where it isn't always the same number [higson2019], and two runs as one.
//
// With t = -log ξ, n(t) points live and ∫ n dt is the cost of a run. The least variance for a cost, by Cauchy and Schwarz:
//
//   for log Z:            ∫ R² / n dt    n ∝ R,  R(t) the share of the evidence above t
//   for posterior means:  ∫ p² / n dt    n ∝ p,  p(t) = L ξ / Z the posterior's density in t
//
// R and p are taken from a run before, as functions of the likelihood: the number at a likelihood is then fixed before the second
// run begins, and the shrinkage of each of its deaths is that of so many.
#pragma once
#include "infer/evidence/nested.hpp"
#include "infer/evidence/shrinkage.hpp"

namespace credo::infer {

// 1 <= least <= mean <= most.
struct LiveNumbers {
  double mean, least, most;  // over the way on which points are replaced, in t; at any likelihood
  Index num_last = 0;        // points of the first run that lived at its end, and took no new ones
};

class LivePlan {
 public:
  LivePlan() = default;
  LivePlan(const DeadPoints& first, LiveAim aim, const LiveNumbers& numbers);
  // Points that are to live above a likelihood.
  Index at(double log_likelihood) const;

  static void saved(auto& self, auto&& field) {
    field(self.log_likelihoods_);
    field(self.counts_);
  }

 private:
  std::vector<double> log_likelihoods_, counts_;  // ascending, for the first run's points
};

// Two runs as one that has the live points of both: the next to die is the lower one. `order`: where each comes from, i of the
// first, size of the first + i of the second.
DeadPoints merged(const DeadPoints& first, const DeadPoints& second, std::vector<Index>& order);

}  // namespace credo::infer
