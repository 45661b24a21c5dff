// Answer of a second, different algorithm for the same posterior (results/draws/cross_check.hpp).
#pragma once
#include "base/types.hpp"

namespace credo::verdict {

// The figure of an output that says how much of the second run lies beyond all draws of the first.
inline constexpr std::string_view kBeyondFigure = "beyond";

// A figure of an output by both runs.
struct CrossFigure {
  std::string output, figure;          // "theta.1", "mean"
  double first = kNaN, second = kNaN;  // of the run, of the second one
  double errors = kNaN;                // how far apart they are, in combined errors
  double p_value = kNaN;
  bool differs = false;  // significantly for all figures together, and by a size that matters
};

struct CrossCheck {
  enum class Outcome { agree, differ, undecided };
  std::string algorithm = {};  // the second one
  Outcome outcome = Outcome::undecided;
  // If undecided, the reason, as the end of a sentence; otherwise a remark on how the second run was made, or empty.
  std::string reason = {};
  std::vector<CrossFigure> figures = {};  // those that were compared
};
std::string_view to_string(CrossCheck::Outcome outcome);
std::optional<CrossCheck::Outcome> outcome_named(std::string_view name);

// "A second run by smc agrees: …". Empty if a finding reports the comparison.
std::string agreement_sentence(const CrossCheck& check);

}  // namespace credo::verdict
