// Evidence on an approximation: figures of its weights, and of searches beyond its draws.
#pragma once
#include "infer/variational/certificate/certificate.hpp"
#include "infer/variational/certificate/drift.hpp"
#include "infer/variational/certificate/reach.hpp"

namespace credo::verdict {
class Case;

struct Certificate {
  infer::WeightFigures weights;
  // Largest distances of weighted from plain figures, with the outputs: means in standard deviations, and logs of standard deviations.
  double mean_correction = 0.0, sd_correction = 0.0;
  std::string corrected_mean = {}, corrected_sd = {};
  bool is_checked = false;  // the density was at hand: modes and drift could be looked for
  // Share of the whole mass at modes that the draws leave out, and of the draws at the largest; 0 without one, NaN if none was looked for, as where the weights are
  // those of a poor approximation.
  double unseen_share = kNaN, share_of_draws_there = 0.0;
  // Mass beyond the draws, for up to 12 values.
  std::optional<infer::UnreachedMass> unreached = {};
  std::string far_output = {};  // the parameter of whose variance most lies there
  // Drift of the draws under ten transitions of NUTS; not run after a reason to call it poor.
  std::optional<infer::Drift> drift = {};
  std::string drifting = {};  // name of its coordinate

  bool has_unseen_mode() const { return unseen_share > 0.0; }
  bool leaves_out_tails() const {
    return unreached && (unreached->is_much() || unreached->has_spread());
  }
  bool drifts() const { return drift && drift->clear() > 1.0; }
  // A single draw that is far out can make the weights look poor. The mass beyond the draws decides then, if it was measured.
  bool may_be_cleared() const {
    constexpr double kShare = 0.7;
    return weights.effective >= infer::kFewestEffective &&
           weights.effective > kShare * static_cast<double>(weights.num_draws);
  }
  infer::Grade grade() const {
    if (has_unseen_mode() || leaves_out_tails() || drifts()) return infer::Grade::poor;
    const bool is_cleared =
        weights.grade == infer::Grade::poor && may_be_cleared() && unreached.has_value();
    return is_cleared ? infer::Grade::after_weighting : weights.grade;
  }
};

Certificate make_certificate(const Case& at_hand);

}  // namespace credo::verdict
