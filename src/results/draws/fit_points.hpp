// The unconstrained values of a fit's draws, for evaluations of its model.
#pragma once
#include "density/model.hpp"
#include "diagnose/control_variates.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

class FitPoints {
 public:
  // Both must live as long. Throws Error(data) for a fit of another program, and one without discrete parameters that
  // the position has.
  FitPoints(const Fit& fit, const density::Model& model);

  // Positions of draws first .. first + count - 1 after warm-up of a chain: D unconstrained values each, and then discrete
  // parameters if the position has them.
  std::vector<std::vector<double>> read(Index chain, Index first, Index count) const;

 private:
  const Fit& fit_;
  std::vector<Index> places_;
  const density::ParameterInverse& inverse_;
  std::vector<std::size_t>
      discrete_;  // among the parameters of a draw, in the order of the position
};

// The log density of a model at each draw after warm-up, of all chains one after another, with the terms it has. Throws
// Error(evaluation) where it is refused at a draw.
std::vector<double> log_densities_of(const Fit& fit, const density::Model& model);

// Unconstrained values and the gradient of the log density at each draw after warm-up. Throws as above, and Error(program)
// for a density without a gradient.
diagnose::GradientDraws gradient_draws(const Fit& fit, const density::Model& model);

}  // namespace credo::results
