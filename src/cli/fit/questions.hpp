// Questions to the draws of a fit, in the language of programs: the probability of a statement, figures of an expression,
// regions of highest density, the action with the least expected loss.
#pragma once
#include "cli/command.hpp"
#include "cli/results.hpp"
#include "diagnose/control_variates.hpp"

namespace credo::cli {

class Questions {
 public:
  void describe(Arguments& arguments);
  bool any() const;
  bool wants_gradients() const { return is_controlled_; }
  // Text or JSON. `quantities`: those that regions are asked of. `gradients`: of the fit's draws, where they are wanted. Throws
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
