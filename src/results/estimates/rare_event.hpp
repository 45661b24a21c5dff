// The probability of a rare event under the prior of a model, by a row of a table of methods.
#pragma once
#include "density/model.hpp"
#include "infer/core/kernel_options.hpp"
#include "infer/smc/splitting.hpp"

namespace credo::results {

// Values of a function for rows of the elements of outputs that it reads; called from several threads at once.
struct ScoreOfOutputs {
  std::vector<Index> elements;  // ascending
  std::function<std::vector<double>(std::span<const std::vector<double>> rows)> values;
};

struct RareEventRun {
  std::uint64_t seed = 1;
  Index num_threads = 0;
};

// A method. A new one is a row in rare_event.cpp; commands read its name, summary and options from it.
struct RareEventMethod {
  std::string_view name, summary, reference;  // reference: a key of docs/references.bib
  infer::KernelOptions (*options)();          // its own, with their defaults
  infer::RareEvent (*estimate)(const density::Model& model, const infer::MakeScores& scores,
                               double value, const infer::KernelOptions& own,
                               const RareEventRun& run);
};
std::span<const RareEventMethod> rare_event_methods();

// P(score > value) under the prior, by the method of this name. Throws Error(program) where the prior can't be drawn from, Error(usage)
// for a score of generated quantities, which needn't be the same at the same point, and what the method throws.
infer::RareEvent rare_event_of(const density::Model& model, const ScoreOfOutputs& score,
                               double value, std::string_view method,
                               const infer::KernelOptions& own, const RareEventRun& run);

}  // namespace credo::results
