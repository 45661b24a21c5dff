// Ensemble Kalman filters [evensen1994]: members that move by the transition, as those of a particle filter, and take in outcomes by
// the Kalman filter's update with the covariances of the ensemble. They need draws of the transition, and outcomes that are
// normal given the state. In the limit of many members they are the Kalman filter if the model is linear-Gaussian; for
// other models they follow a normal approximation at each outcome, whose likelihood isn't that of the model.
#pragma once
#include "infer/smc/particle_filter.hpp"
#include "numerics/unscented.hpp"

namespace credo::infer {

//   perturbed    each member sees an outcome with noise of its own [burgers1998]
//   square_root  members are moved so that mean and covariance are those of the update, without noise [bishop2001]
enum class EnsembleUpdate { perturbed, square_root };
inline constexpr std::array<std::string_view, 2> kEnsembleUpdateNames = {"perturbed",
                                                                         "square-root"};
inline constexpr std::span<const std::string_view> enum_names(EnsembleUpdate) {
  return kEnsembleUpdateNames;
}

struct EnsembleFilterOptions {
  EnsembleUpdate update = EnsembleUpdate::perturbed;
  double inflation = 1.0;

  static void describe(auto& self, auto&& field) {
    field(self.update, FieldSpec{.name = "update",
                                 .help = "perturbed, each member sees an outcome with noise of its "
                                         "own; square-root, members are moved without noise"});
    field(self.inflation, FieldSpec{.name = "inflation",
                                    .help = "the factor by which members move away from their mean "
                                            "before each outcome; 1: none",
                                    .range = {.lo = 1.0, .hi = 100.0}});
  }
};

// The normal distributions of the observed parts of a time's outcome given states, at most StateSpace::kBlock at once;
// working memory of one thread.
class OutcomeDistributions {
 public:
  virtual ~OutcomeDistributions() = default;
  virtual std::vector<numerics::NormalMoments> given(
      Index time, std::span<const std::vector<double>> states) = 0;
  virtual std::vector<double> outcome(Index time) const = 0;
};

// The model must be such that its states are real. `make_distributions` is called once a thread. It reads these
// options: particles (members), seed,
// threads, quantiles, levels, checkpoints. The same seed gives the same bits for any number of threads. Throws what model
// and distributions throw, Error(usage) for options out of their range.
FilterResult run_ensemble_filter(
    const density::StateSpace& model,
    const std::function<std::unique_ptr<OutcomeDistributions>()>& make_distributions,
    const FilterOptions& options, const EnsembleFilterOptions& ensemble, Index repeat = 0);

}  // namespace credo::infer
