// Questions to the draws of a fit, in the language of programs: the probability of a statement, figures of an expression,
// regions of highest density, the action with the least expected loss.
#pragma once
#include "cli/command.hpp"
#include "cli/results.hpp"
#include "diagnose/control_variates.hpp"
#include "io/summary_table.hpp"

namespace credo::cli {

// The probability of a statement.
struct StatementAnswer {
  std::string expression = {};
  double probability = kNaN, error = kNaN;  // the error is NaN where all draws agree
  double rest_below = kNaN;  // then: what independent draws leave of the opposite, with 95 %
  std::string sentence = {};
};

class Questions {
 public:
  void describe(Arguments& arguments);
  // --where and --of alone, for commands that show these two beside other things.
  void describe_statements(Arguments& arguments);
  std::vector<StatementAnswer> statements(const Fit& fit) const;  // answers to --where
  std::vector<io::SummaryRow> expressions(const Fit& fit) const;  // summaries for --of
  bool any() const;
  bool wants_gradients() const { return is_controlled_; }
  // Text or JSON. `quantities`: those whose regions are requested. `gradients`: those of the fit's draws, if needed. Throws
  // Error(usage).
  std::string answer(const Fit& fit, std::span<const Index> quantities, bool json,
                     const diagnose::GradientDraws& gradients = {}) const;

 private:
  std::vector<std::string> where_, of_, actions_;
  std::string loss_;
  bool regions_ = false, is_controlled_ = false;
  double mass_ = 0.9;
};

}  // namespace credo::cli
