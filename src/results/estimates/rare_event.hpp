// The probability of a rare event under the prior of a model, by levels (infer/smc/splitting.hpp) or by the cross-entropy
// method (infer/smc/cross_entropy.hpp).
#pragma once
#include "density/model.hpp"
#include "infer/smc/cross_entropy.hpp"

namespace credo::results {

// Values of a function for rows of the elements of outputs that it reads; called from several threads at once.
struct ScoreOfOutputs {
  std::vector<Index> elements;  // ascending
  std::function<std::vector<double>(std::span<const std::vector<double>> rows)> values;
};

// P(score > value) under the prior. Throws Error(program) where the prior can't be drawn from, Error(usage) for a score of
// generated quantities, which needn't be the same at the same point, and what rare_event throws.
infer::RareEvent rare_event_of(const density::Model& model, const ScoreOfOutputs& score,
                               double value, const infer::SplittingOptions& options);
// P(score > value) by the cross-entropy method. Throws Error(usage), too, if the integral of the prior isn't known.
infer::RareEvent rare_event_of(const density::Model& model, const ScoreOfOutputs& score,
                               double value, infer::CrossEntropyOptions options);

}  // namespace credo::results
