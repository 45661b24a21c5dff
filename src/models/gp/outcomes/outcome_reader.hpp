// The outcome of a formula for a family that isn't normal: y, y | trials(n), y | rate(e).
#pragma once
#include "models/formula/frame.hpp"
#include "models/gp/outcomes/gp_outcome.hpp"

namespace credo::models {

class OutcomeReader {
 public:
  explicit OutcomeReader(const OutcomeFamily& family) : family_(family) {}

  // Registers the columns. False, with faults, if the left side is no outcome of the family.
  bool use(const Expression& left, Frame& frame, FormulaFaults& faults);
  const Expression& outcome() const { return *outcome_; }
  // After the rows are set: sites with their offsets, without the centre. `rows`: their numbers in the table, for messages.
  GpOutcome read(Frame& frame, std::span<const Index> rows, FormulaFaults& faults) const;

 private:
  bool use_modifier(const Expression& modifier, Frame& frame, FormulaFaults& faults);

  const OutcomeFamily& family_;
  std::optional<Expression> outcome_, trials_, rate_;
  std::string factor_;  // name of the column if the outcome is a text
};

// f at the mean of the outcomes, half a success or half a count added: the centre of the prior of an intercept.
double centre_of_outcomes(const GpOutcome& outcome);

}  // namespace credo::models
