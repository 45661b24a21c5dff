// Objectives of approximations, of the log ratios ℓ = log p(x) - log q(x) of S draws of q:
//
//   L_c = (1/c) log (1/S) Σ_s exp(c ℓ_s),   L_0 = (1/S) Σ_s ℓ_s
//
//   elbo       c = 0: the evidence bound
//   iwae:S     c = 1: the importance-weighted bound of S draws [burda2016]
//   renyi:a    c = 1 - a: the Rényi bound of order a [li2016]
//   chi2       c = 2: an upper bound of the log evidence, half the log of the mean squared weight, which is minimised [dieng2017]
//   eubo       E_p[ℓ] = log Z + KL(p ‖ q), an upper bound that is minimised, too: Σ w_s ℓ_s with the shares of the weights, c = 1,
//              in the place of draws of p [bornschein2015]
//   gvi:a      w E_q[log likelihood] - D_a(q ‖ prior), the Rényi divergence in the place of Kullback's: generalised variational inference
//              [knoblauch2022], which isn't about the evidence. With r = log prior - log q it is w mean (ℓ - r) + L_{1 - a}(r)
//
// In expectation L_c is at most log Z for c <= 1; for c > 1 it comes from above as S grows. All of it is one function, so that one
// derivative serves: ∂L_c/∂ℓ_s = w_s, the shares of exp(c ℓ_s). The gradient of eubo holds the w_s fixed, since they stand for draws of p.
#pragma once
#include <optional>

#include "base/types.hpp"

namespace credo::infer {

struct Objective {
  double power = 0.0;                // c
  Index num_draws = 0;               // S of iwae; 0: as many as are drawn
  bool is_forward = false;           // eubo
  std::optional<double> order = {};  // a of gvi
  bool is_upper() const { return is_forward || power > 1.0; }
  bool is_power_above_one() const { return power > 1.0; }
  bool is_elbo() const { return power == 0.0 && !is_generalised(); }
  bool is_generalised() const { return order.has_value(); }
  Objective of_prior() const { return {.power = 1.0 - order.value_or(0.0)}; }  // L_{1 - a}
  double sign() const { return is_upper() ? -1.0 : 1.0; }                      // sign of the climb

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
