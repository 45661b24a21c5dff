// Estimators of the gradient of an objective by the parameters λ of a family, from S of its draws x_s = T(z_s; λ):
//
//   path_s  = (∂x_s/∂λ)ᵀ (∇log p - ∇log q)(x_s)        h_s = ∂ log q(x_s)/∂λ, x_s held fixed
//
//   reparam    Σ w_s (path_s - h_s), the whole derivative of the objective; with a normal family and the evidence bound -h_s is the entropy's slope
//   stl        (1/S) Σ path_s: sticking the landing. h_s has mean 0 and is left out, so that nothing varies where q = p
//              [roeder2017]; for the evidence bound
//   dreg       Σ ((1 - c) w_s + c w_s²) path_s: h_s is reparametrised itself, since ∂w_s/∂x_s = c w_s (1 - w_s) ∂ℓ_s/∂x_s
//              [tucker2019]; the same as stl for c = 0
//   score      (1/S) Σ ℓ_s h_s, which needs values of log p only; for the evidence bound
//   daydream   -Σ w_s h_s of eubo, w_s the shares of the weights: log q rises at draws weighted to the posterior [bornschein2015]; that of
//              dreg is -Σ (w_s - w_s²) path_s, which doesn't vary where q = p
//   divergence of gvi: (w / S) Σ ∂x/∂λᵀ ∇log likelihood, and dreg's gradient of L_{1 - a} by the ratios of prior and q
//   score_cv   (1/S) Σ (ℓ_s - a_k) h_sk for component k, a_k = Cov(ℓ h_k, h_k) / Var h_k of the draws before [ranganath2014]
//
// Their expectations are alike; those of reparam and dreg with S draws are of L_c of S draws, which is a lower bound for c <= 1. For
// c > 1 L_c of few draws is no upper bound, and falls without end where q leaves p. There the gradient is that of E[exp(c ℓ)] / c,
// which needs no division by an estimate of the same draws: over its running mean M it is E[u (path - h)] = (1 - c) E[u path], u =
// exp(c ℓ) / M. M is of the draws before.
//
// Coordinates that a family holds as points have no density q; their gradient is Σ w_s ∇log p for every row, not squared: the wake
// phase for parameters of the model [bornschein2015].
#pragma once
#include "infer/variational/families/normal_family.hpp"
#include "infer/variational/climbs/objectives.hpp"

namespace credo::infer {

// Draws of a family with their log ratios and gradients. Draws that the density refuses are left out.
struct EstimatorDraws {
  std::size_t num_base, dimension;
  std::vector<double> z = {}, x = {}, gradients = {};  // S × B, S × D, S × D: ∇ log p
  std::vector<double> log_ratios = {};                 // S
  // Numbers for gvi: log prior - log q, gradients of log prior, and how often the likelihood counts.
  std::vector<double> prior_ratios = {}, prior_gradients = {};
  double power = 1.0;
  std::size_t count() const { return log_ratios.size(); }
  std::span<const double> base(std::size_t s) const {
    return std::span(z).subspan(s * num_base, num_base);
  }
  std::span<const double> point(std::size_t s) const {
    return std::span(x).subspan(s * dimension, dimension);
  }
  std::span<const double> gradient(std::size_t s) const {
    return std::span(gradients).subspan(s * dimension, dimension);
  }
};

struct EstimatorSpec {
  std::string_view name, summary, reference;
  bool needs_gradient;                        // the gradient of log p
  bool needs_normal;                          // it takes scores, which normal families have
  bool (*takes)(const Objective& objective);  // objectives whose gradient it estimates
  // Adds the gradient of L_c. `memory`: numbers that the estimator keeps from the draws before, empty at first; an estimator that
  // needs them adds nothing then.
  void (*add)(const Objective& objective, DistributionFamily& family, const EstimatorDraws& draws,
              std::vector<double>& memory, std::span<double> into);
};
std::span<const EstimatorSpec> estimators();

// The objective by the draws.
double objective_value(const Objective& objective, const EstimatorDraws& draws);
// Name of the estimator that an objective has by default. For eubo daydream: where one weight has nearly all of the sum, the factors w - w²
// of dreg are 0, and nothing moves.
std::string_view standard_estimator(const Objective& objective);

// Throws Error(usage) for a name that isn't there, and for one that doesn't estimate the objective.
const EstimatorSpec& find_estimator(std::string_view name, const Objective& objective);

}  // namespace credo::infer
