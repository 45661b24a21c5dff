// The statements of a block that aren't made of other statements, with what stands around them.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::model {
namespace typed = lang::typed;

struct Enclosing {
  const typed::Statement* statement = nullptr;  // a loop, a condition or braces
  bool if_true = true;                          // branch of a condition

  bool is_loop() const;
  const typed::If* condition() const { return std::get_if<typed::If>(&statement->node); }
};

struct PlacedStatement {
  const typed::Statement* statement = nullptr;
  std::vector<Enclosing> around = {};  // outermost first
};

std::vector<PlacedStatement> placed_statements(std::span<const typed::Statement> block);

// The variable that an outcome is, or is elements of, possibly reshaped: theta, theta[i], to_vector(theta); null for
// anything else. outcome_of_prior: global variables only.
const typed::VariableUse* variable_of_outcome(const typed::Expression& e);
const typed::VariableUse* outcome_of_prior(const typed::Expression& e);
bool only_reshapes(const typed::Call& call);

}  // namespace credo::model
