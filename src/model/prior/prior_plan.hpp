// The statements of a program that state priors, in an order in which they can be drawn from: those whose
// arguments are data, parameters that are drawn before, or have no prior, and values that transformed
// parameters and local variables compute from these.
#pragma once
#include <set>

#include "model/statements/placed_statement.hpp"

namespace credo::model {

// Statements of one block that run together, marked by their ids.
struct PriorStage {
  lang::typed::BlockKind block;
  std::vector<char> statements;
};

struct PriorPlan {
  std::vector<PriorStage> stages;  // empty: no prior is stated
  std::set<int> outcomes;          // slots of the parameters that they draw
  std::set<int> deciding;          // of them, those that decide which of their own statements run
  std::set<int> sums;              // slots of variables that sum up priors
  std::set<std::int32_t> summed;   // statements of the stages that add priors to them
  std::set<std::int32_t> sum_statements;  // all statements that add to them
};

// Forms of statements that are recognised as priors.
//   stated   one density of a parameter; random walks by elements
//   all      also mixtures, random walks in one statement, and densities that are summed up in a variable
enum class PriorForms : std::uint8_t { stated, all };
PriorPlan plan_priors(const lang::typed::Program& program, PriorForms forms);

// Statements that add to the target by parameters, and no stage runs them as priors: terms of another
// kind, whether or not a point's path meets them.
std::vector<std::int32_t> other_increments(const lang::typed::Program& program,
                                           const PriorPlan& plan);

// True if an argument of the density, other than its outcome, reads this global variable.
bool reads_slot(const lang::typed::Call& density, int slot);

}  // namespace credo::model
