// Gradients of points at refined draws [hoffman2017]: the draws of a family are moved by Hamiltonian transitions with the points held fixed, and
// the parameters of the model climb log p at the ends. They don't see the bound then, whose gap moves them away from the posterior's mode.
#pragma once
#include "base/rng.hpp"
#include "density/log_density.hpp"
#include "infer/variational/families/normal_family.hpp"

namespace credo::infer {

// "hmc:10": M transitions. 0: none, of an empty text. Throws Error(usage) for another form.
Index parse_refinement(std::string_view text);

class RefinedPoints {
 public:
  RefinedPoints(const density::LogDensity& density, Index num_transitions);
  // Moves a draw x at which the density has a gradient, and writes the components at points of the gradient at its end into `gradient`.
  // Step sizes are relative to the standard deviations of the family, `variances`.
  void refine(std::span<const double> x, std::span<const PointCoordinate> points,
              std::span<const double> variances, Rng& rng, std::span<double> gradient);
  // For a density of batches.
  void set_rows(std::span<const double> rows, double weight) { rows_ = rows, weight_ = weight; }
  double accept_rate() const { return num_accepted_ / std::max(1.0, num_proposed_); }

 private:
  struct Place {
    std::vector<double> position, gradient;
    double log_density = -kInfinity;
  };
  bool evaluate(Place& place);
  void transition(std::span<const double> variances, Rng& rng);

  std::unique_ptr<density::Evaluator> evaluator_;
  Index num_transitions_;
  std::span<const double> rows_ = {};
  double weight_ = 1.0;
  Place here_, there_;
  std::vector<double> momentum_;
  double num_accepted_ = 0.0, num_proposed_ = 0.0;
};

}  // namespace credo::infer
