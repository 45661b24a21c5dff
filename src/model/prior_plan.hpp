// Which statements of a program state priors, and in which order they can be drawn from: those whose
// arguments are data, parameters that are drawn before, or have no prior, and what transformed
// parameters and local variables make of them.
#pragma once
#include <set>

#include "lang/typed.hpp"

namespace credo::model {
namespace typed = lang::typed;

// Statements of one block that run together, marked by their ids.
struct PriorStage {
  lang::typed::BlockKind block;
  std::vector<char> statements;
};

struct PriorPlan {
  std::vector<PriorStage> stages;  // empty: no prior is stated
  std::set<int> outcomes;          // slots of the parameters that they draw
};

PriorPlan plan_priors(const lang::typed::Program& program);

// The parameter that a density is one of: theta, theta[i], to_vector(theta); null for anything else.
const lang::typed::VariableUse* outcome_of_prior(const lang::typed::Expression& e);

}  // namespace credo::model
