// The variational lower bound of the log evidence [murphy2023, sec. 10.1.2]:
//
//   L(q) = E_q[log p(x) - log q(x)] <= log Z,   log Z - L(q) = KL(q ‖ p / Z)
//
// FixedDrawBound is L with draws of N(0, I) that stay the same [giordano2024]: a function of the distribution's
// parameters that is as smooth as log p, and is climbed as any density is. Its maximum is too high a bound, because of
// the draws behind the fit: so the bound that is reported is the mean of log p - log q over new draws, with
// their standard error.
#pragma once
#include "density/log_density.hpp"
#include "infer/core/sample.hpp"
#include "infer/variational/normal_distribution.hpp"

namespace credo::infer {

// Standard normal variates, S × D one draw after another, in pairs z and -z. S is even. `full`: whose mean of z zᵀ is the identity,
// so that of a normal density the best distribution is found exactly; takes S >= 2 D. `diagonal`: whose diagonal is.
std::vector<double> balanced_draws(Index num_draws, Index dimension, CovarianceShape shape,
                                   std::uint64_t seed);

// (1/S) Σ_s log p(x(z_s; λ)) + log |∂x/∂z|: L(q) without ½ D log 2πe, as a log density of λ. A point is refused where
// one of the draws is. Knows the density, which outlives it.
class FixedDrawBound final : public density::LogDensity {
 public:
  FixedDrawBound(const density::LogDensity& of, NormalDistribution distribution,
                 std::vector<double> draws)
      : of_(of), distribution_(std::move(distribution)), draws_(std::move(draws)) {}
  Index dimension() const override { return distribution_.num_parameters(); }
  bool has_gradient() const override { return true; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override {
    return of_.describe(status);
  }
  Index num_draws() const { return ssize(draws_) / std::max<Index>(1, distribution_.dimension()); }

 private:
  const density::LogDensity& of_;
  NormalDistribution distribution_;
  std::vector<double> draws_;
};

struct BoundOptions {
  CovarianceShape covariance = CovarianceShape::full;
  Index num_starts = 8;        // from the prior, with diagonal covariances; the best is kept
  Index num_fresh = 10'000;    // draws of the reported bound
  Index max_iterations = 500;  // of a climb
  std::uint64_t seed = 1;

  static void describe(auto& self, auto&& field) {  // all but the seed, which is the run's
    field(self.covariance,
          FieldSpec{.name = "covariance", .help = "covariance of the normal distribution"});
    field(self.num_starts,
          FieldSpec{.name = "num_starts",
                    .help = "starts from the prior, each with a diagonal covariance; the best one "
                            "continues",
                    .range = {.lo = 1.0, .hi = 1e6}});
    field(self.num_fresh, FieldSpec{.name = "num_fresh",
                                    .help = "draws of the reported bound",
                                    .range = {.lo = 2.0, .hi = 1e9}});
    field(self.max_iterations, FieldSpec{.name = "max_iterations",
                                         .help = "iterations at most",
                                         .range = {.lo = 1.0, .hi = 1e9}});
  }
};
inline constexpr Index kMostOfFullCovariance = 200;  // dimensions

struct BestNormal {
  NormalDistribution distribution;
  LogEvidence bound;  // for the density as written; by new draws, with their error
  bool converged = false;
  Index num_evaluations = 0;
};

// Throws Error(usage) without a gradient, with discrete coordinates, or with a full covariance of too many dimensions;
// Error(evaluation) where no start has a bound, or the best distribution draws points without a density, so that its
// bound is -infinity.
BestNormal maximise_bound(const density::LogDensity& density, const BoundOptions& options);

}  // namespace credo::infer
