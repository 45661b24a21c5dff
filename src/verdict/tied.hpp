// Parameters of which the likelihood knows a combination only.
#pragma once
#include "verdict/case.hpp"

namespace credo::verdict {

// Two or three variables that may be moved together, at every draw, without any row of the data
// taking notice: a + b, a b, or the root of a² + b². The expected information of the likelihood is
// singular along a direction of theirs, exactly; only the priors determine how they share the information.
// A scalar moves by itself, a vector by a sum or a factor of all its elements. Effects whose
// distribution has parameters of its own, and standard normal ones that are scaled elsewhere, are what a
// hierarchy consists of, and are left out.
struct Tied {
  std::vector<std::string> variables = {};
};
std::optional<Tied> tied_of(const Case& at_hand);

// True if the stated distribution of a variable has parameters, as for the effects of a hierarchy.
bool has_distribution_of_parameters(const density::ProgramFacts& program, std::string_view name);

}  // namespace credo::verdict
