// A chain as a Stan program with its data: the same log density as the field's own, up to a constant.
#pragma once
#include "models/fields/label_fit.hpp"

namespace credo::models {

// The largest number of features for which a chain is written.
inline constexpr Index kMostWritten = 200;

struct LabelProgram {
  std::string program;  // Stan
  std::string data;     // JSON
  // Weights as the program's parameters, by rows: JSON of {"w": ..., "pairs": ...}.
  std::string weights;
  std::string point;  // a list of one point of the unconstrained space
};

// Throws Error(usage) for other structures, more features and --pairs seen.
LabelProgram write_label_program(const LabelModel& model, const LabelData& data,
                                 const WeightPrior& prior, std::span<const double> weights);

}  // namespace credo::models
