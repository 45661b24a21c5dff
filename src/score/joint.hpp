// Joint predictions of several outcomes: which of them hang together through parameters that aren't known, marginal scores
// don't see [osband2022].
#pragma once
#include "score/predictions.hpp"

namespace credo::score {

struct JointFigure {
  Index num_blocks = 0, num_rows = 0;
  double log_score = kNaN,
         error =
             kNaN;  // mean over blocks of the log joint predictive density, and its standard error
  double cross_entropy = kNaN;  // less the mean
  // Mean of log p - log q if the table has log_true: for blocks from many environments the expected Kullback-Leibler
  // divergence of the distribution that made the outcomes from the predictive one.
  double kl = kNaN, kl_error = kNaN;
};

// Log density from the log likelihoods of each row at M draws: log (1 / M) Σ_m exp Σ_t ll_tm, product inside, mean outside.
double joint_log_density(const Predictions& all, std::span<const Index> rows);
// Blocks of successive rows, `size` each, the last ones left out where they don't fill one; 0: the table's own (all
// rows where it has none). Throws Error(usage) for other than likelihoods and where no block is full.
JointFigure joint_figure(const Predictions& all, Index size);

}  // namespace credo::score
