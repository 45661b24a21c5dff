// A block of a program, or the body of a function in one call, as far as it can be read without running it: which
// values are assigned to each variable, and which arguments stand for the parameters of the function.
#pragma once
#include "model/statements/statements.hpp"

namespace credo::model {

struct StatementFrame;

struct AssignedValue {
  const typed::Expression* value = nullptr;
  const PlacedStatement* at = nullptr;
  const StatementFrame* frame = nullptr;  // in which the value is written
  bool is_compound = false;  // `+=` and the like: the variable's value before enters, too
};
using AssignedValues = std::map<int, std::vector<AssignedValue>>;  // by slot

struct StatementFrame {
  std::span<const typed::Variable> variables;  // local ones, by slot
  std::vector<PlacedStatement> statements;
  AssignedValues locals;
  std::map<int, const typed::SizedType*> declared;  // local variables
  // The call, if this is the frame of a function's body.
  const StatementFrame* caller = nullptr;
  std::vector<const typed::Expression*> arguments = {};  // by parameter; null: not known

  StatementFrame(std::span<const typed::Statement> body,
                 std::span<const typed::Variable> variables_, AssignedValues& globals);
  StatementFrame(const StatementFrame&) = delete;
  // The argument that stands for a parameter of the function; null for other variables.
  const typed::Expression* argument(typed::Slot slot) const;
};

// An expression and the frame in which it occurs.
struct FramedExpression {
  const typed::Expression* expression = nullptr;
  const StatementFrame* frame = nullptr;
};
// Without promotions, and with the caller's expression in the place of a parameter of a function.
FramedExpression resolved(FramedExpression e);

// The variable of an outcome and how the outcome selects from it.
StatementOutcome outcome_named(const typed::Program& program, FramedExpression e);

// The number of rows of a density whose outcome has this distribution.
std::vector<RowRange> rows_of_call(const typed::Program& program, const dist::Distribution& d,
                                   const typed::Call& call, const StatementFrame& frame);
// The number of rounds of a loop.
RowRange rounds_of(const typed::Program& program, const typed::Statement& loop,
                   const StatementFrame& frame);

}  // namespace credo::model
