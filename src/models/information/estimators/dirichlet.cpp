// Posterior mean and standard deviation of the entropy under a symmetric Dirichlet prior. A fixed concentration all but fixes
// the entropy of many states beforehand; the prior's own mean and sd say so.
#include "models/information/entropy_estimator.hpp"

namespace credo::models {
namespace {
EntropyEstimate of_prior(const CountSample& sample, const EntropyOptions& options) {
  return dirichlet_entropy(sample, options.concentration);
}
}  // namespace

extern const EntropyEstimator dirichlet_row{
    "dirichlet", "posterior mean under a Dirichlet prior with --concentration for each state",
    nullptr, of_prior};

}  // namespace credo::models
