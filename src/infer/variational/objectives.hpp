// Objectives of approximations, of the log ratios ℓ = log p(x) - log q(x) of S draws of q:
//
//   L_c = (1/c) log (1/S) Σ_s exp(c ℓ_s),   L_0 = (1/S) Σ_s ℓ_s
//
//   elbo       c = 0: the evidence bound
//   iwae:S     c = 1: the importance-weighted bound of S draws [burda2016]
//   renyi:a    c = 1 - a: the Rényi bound of order a [li2016]
//   chi2       c = 2: an upper bound of the log evidence, half the log of the mean squared weight, which is minimised [dieng2017]
//
// In expectation L_c is at most log Z for c <= 1; for c > 1 it comes from above as S grows. All of it is one function, so that one
// derivative serves: ∂L_c/∂ℓ_s = w_s, the shares of exp(c ℓ_s).
#pragma once
#include "base/types.hpp"

namespace credo::infer {

struct Objective {
  double power = 0.0;   // c
  Index num_draws = 0;  // S of iwae; 0: as many as are drawn
  bool is_upper() const { return power > 1.0; }
  double sign() const { return is_upper() ? -1.0 : 1.0; }  // sign of the climb

  double value(std::span<const double> log_ratios) const;
  // w_s, which add up to 1.
  void shares(std::span<const double> log_ratios, std::span<double> into) const;
};

struct ObjectiveRow {
  std::string_view name, argument, summary, reference;  // argument: empty if it has none
  Objective (*make)(double argument);
};
std::span<const ObjectiveRow> objectives();

// "iwae:10". Throws Error(usage) with the forms that there are.
Objective parse_objective(std::string_view text);

}  // namespace credo::infer
