// The evidence bound with draws of N(0, I) that stay the same [giordano2024]:
//
//   L(λ) = (1/S) Σ_s log p(x(z_s; λ)) + E[-log q],
//
// with the entropy in closed form for normal families, and -log q at the same draws for others,
//
// a function of λ that is as smooth as log p, and is climbed as any density is. Its maximum is too high a bound, because of
// the draws behind the fit.
#pragma once
#include "density/log_density.hpp"
#include "infer/core/sample.hpp"
#include "infer/variational/climbs/fitted_family.hpp"

namespace credo::infer {

// Standard normal variates, S × B one draw after another, in pairs z and -z. S is even. `full`: whose mean of z zᵀ is the identity,
// so that of a normal density the best distribution is found exactly; takes S >= 2 B. Else its diagonal is.
std::vector<double> balanced_draws(Index num_draws, Index num_base, CovarianceShape shape,
                                   std::uint64_t seed);

// Draws of which every coordinate has the same S values, with mean 0 and variance 1: the means of N(0, 1) in S parts of equal mass, in a random order
// for each coordinate and in pairs z and -z (Latin hypercubes [mckay1979]). Means of functions of single coordinates, of which bounds of independent
// factors consist where parameters don't meet, have errors of some 1 / S and not 1 / √S.
std::vector<double> stratified_draws(Index num_draws, Index num_base, std::uint64_t seed);

// factor · log p(μ), added to L: with p the prior, and the factor λ - 1, the divergence from it is that of distributions with λ times
// the precision [loo2021], λ KL(q^λ ‖ p^λ) up to its constants. Normal families alone have it.
struct MeanTerm {
  const density::LogDensity* density = nullptr;  // null: none
  double factor = 0.0;
};

// L as a log density of λ. A point is refused where one of the draws is. Knows the density, which outlives it.
class FixedDrawBound final : public density::LogDensity {
 public:
  FixedDrawBound(const density::LogDensity& of, const DistributionFamily& family,
                 std::vector<double> draws, MeanTerm at_mean = {})
      : of_(of), family_(family.clone_family()), draws_(std::move(draws)), at_mean_(at_mean) {}
  Index dimension() const override { return family_->num_parameters(); }
  bool has_gradient() const override { return true; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override {
    return of_.describe(status);
  }
  Index num_draws() const { return ssize(draws_) / std::max<Index>(1, family_->num_base()); }

 private:
  const density::LogDensity& of_;
  std::unique_ptr<DistributionFamily> family_;
  std::vector<double> draws_;
  MeanTerm at_mean_;
};

struct FixedClimbConduct {
  Index num_threads = 1;  // threads of an evaluation; no value depends on them
  std::function<void(const FitProgress&)> on_fit = nullptr;
  MeanTerm at_mean = {};  // for normal families alone
  Index inner_steps = 0;  // gradient steps of a normal family's offsets (inner_steps.hpp)
};
// Climbs it by L-BFGS, and moves the family to its best member.
ClimbResult climb_fixed(const density::LogDensity& density, DistributionFamily& family,
                        std::vector<double> draws, Index max_iterations,
                        const FixedClimbConduct& conduct = {});

}  // namespace credo::infer
