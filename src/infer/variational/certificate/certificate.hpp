// The grade of an approximation by the weights p / q of its draws.
//
// Pareto k is the shape of the largest weights [vehtari2024psis]. Draws of a normal distribution give k far above 1 also for
// posteriors that are nearly normal: in one dimension the largest weights are those of the draws farthest out,
// a steep function of |z|. Then they make no difference: if S draws are worth e S equal ones,
//
//   |E_p f - E_q f| <= sd_q(f) √(1/e - 1)
//
// for every f, so that the weights can move no mean by more than 0.2 standard deviations if e >= 1 / (1 + 0.2²). Measured on
// Student's t, gamma, exponential and logistic posteriors in 1 to 30 dimensions: where e >= 0.85 and k > 0.7 means with weights were
// off by 0.03 standard deviations and standard deviations by 5 %, in the mean over seeds. Tails of a single value that few draws reach
// are for infer/variational/certificate/reach.hpp.
#pragma once
#include "base/types.hpp"

namespace credo::infer {

enum class Grade { good, after_weighting, poor };

struct WeightFigures {
  Index num_draws = 0;
  double pareto_k = kNaN;
  double effective = kNaN;  // draws, of independent ones: diagnose::weight_ess
  Grade grade = Grade::poor;
  bool has_weights = true;  // false: every log weight is exactly 0, since the distribution has none
};

inline constexpr double kReliableK = 0.7, kFewestEffective = 100.0;
inline constexpr double kShareWithoutK = 0.85;  // effective share above which k makes no grade poor
inline constexpr double kShareOfGood = 1.0 / (1.0 + 0.04);  // above which the weights aren't needed
inline constexpr double kGoodK = 0.5;                       // below it a grade is good at any share

// poor: fewer than 100 effective draws, or k > 0.7 and an effective share below 0.85, or no weights. good: k <= 0.5, or a share
// above 1 / 1.04; after_weighting: else.
WeightFigures weight_figures(std::span<const double> log_weights);

}  // namespace credo::infer
