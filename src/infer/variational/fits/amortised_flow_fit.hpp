// The amortised flow of local values (families/amortised_flow.hpp) that makes an objective best. It begins at the amortised normal distribution
// with the highest evidence bound, and takes steps by estimated gradients (climb_stochastic.hpp).
#pragma once
#include "infer/variational/families/graph_family.hpp"
#include "infer/variational/fits/amortised_fit.hpp"

namespace credo::infer {

struct FittedAmortisedFlow : ClimbResult {
  std::shared_ptr<GraphFamily> family;  // at its best member
  LogEvidence bound;                    // the highest lower bound
  FreshBounds bounds, bounds_of_normal;
  bool is_start = false;  // the climb found nothing better than the normal distribution
};

// Throws Error(usage) as fit_amortised does, for layers that aren't iaf:T, for rows with one local value, and for options that normal
// distributions alone have.
FittedAmortisedFlow fit_amortised_flow(const density::LogDensity& density,
                                       const AmortizedOptions& options);

// From a fit of the normal distributions of `setup`, whose other values have a full or a diagonal covariance.
FittedAmortisedFlow bend_amortised(const density::LogDensity& density, const BestNormal& normal,
                                   const AmortisedSetup& setup, Index num_steps,
                                   const BoundOptions& climb);

// For the result: the bounds, and the parameters of the flow.
std::vector<TunedSetting> figures_of(const FittedAmortisedFlow& flow);

}  // namespace credo::infer
