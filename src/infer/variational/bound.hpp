// The normal distribution of a family that makes an objective best: the evidence bound [murphy2023, sec. 10.1.2]
//
//   L(q) = E_q[log p(x) - log q(x)] <= log Z,   log Z - L(q) = KL(q ‖ p / Z)
//
// by L-BFGS on fixed draws (fixed_draw_bound.hpp), or any objective by estimated gradients (climb_stochastic.hpp). Climbs begin at
// Laplace's fit, or from draws of the prior if the density has no mode. The reported bounds are those of new draws, with their
// standard errors.
#pragma once
#include "infer/core/sample.hpp"
#include "infer/variational/fitted_family.hpp"
#include "infer/variational/objectives.hpp"

namespace credo::infer {

struct BoundOptions {
  CovarianceShape covariance = CovarianceShape::automatic;
  Index rank = 5;
  std::vector<std::string> join =
      {};  // "mu+tau": the parameters of each; others are blocks of their own
  std::string objective = "elbo", gradient = "auto", optimizer = "auto";
  Index num_starts = 8;        // climbs of Laplace's fit, or from the prior
  Index num_fresh = 10'000;    // draws of the reported bounds
  Index max_iterations = 500;  // of L-BFGS
  Index batch = 0;             // rows of the likelihood for a step; 0: all
  Index step_draws = 10;       // draws of a step
  double step = 0.1;
  std::string stop = "stationary";
  double tolerance = 0.01;  // standard deviations
  Index window = 20, patience = 20;
  Index max_steps = 50'000;
  std::uint64_t seed = 1;
  std::function<void(const FitProgress&)> on_fit = nullptr;
  Index num_threads = 1;  // threads of an evaluation; no value depends on them

  static void describe(auto& self,
                       auto&& field) {  // all but the seed and what follows, which are the run's
    field(self.covariance,
          FieldSpec{.name = "covariance",
                    .help = "covariance of the normal distribution; auto: full up to 200 values, "
                            "of low rank up to 2000, else diagonal"});
    field(self.rank, kRankField);
    field(self.join, kJoinField);
    field(self.objective,
          FieldSpec{.name = "objective",
                    .help = "objective of the climb: elbo, iwae:S, renyi:a, or chi2"});
    field(self.gradient,
          FieldSpec{.name = "gradient",
                    .help = "estimator of the gradient; auto: stl, of other objectives than the "
                            "evidence bound dreg",
                    .values = "auto|reparam|stl|dreg|score|score_cv"});
    field(self.optimizer,
          FieldSpec{.name = "optimizer",
                    .help = "lbfgs on fixed draws, or steps by estimated gradients; auto: lbfgs "
                            "for the evidence bound of all rows up to 2000 values, else adam",
                    .values = "auto|lbfgs|adagrad|adam|adamax|amsgrad|gradient|momentum|nadam|"
                              "nesterov|rmsprop"});
    field(self.num_starts,
          FieldSpec{.name = "num_starts",
                    .help = "climbs to modes, at the heaviest of which the fit begins; without a "
                            "mode starts from the prior, the best of which continues",
                    .range = {.lo = 1.0, .hi = 1e6}});
    field(self.num_fresh, FieldSpec{.name = "num_fresh",
                                    .help = "draws of the reported bounds",
                                    .range = {.lo = 2.0, .hi = 1e9}});
    field(self.max_iterations, FieldSpec{.name = "max_iterations",
                                         .help = "iterations at most",
                                         .range = {.lo = 1.0, .hi = 1e9}});
    describe_steps(self, field);
  }

 private:
  static void describe_steps(auto& self, auto&& field) {
    field(self.batch, FieldSpec{.name = "batch",
                                .help = "rows of the likelihood for each step; 0: all",
                                .range = {.lo = 0.0, .hi = 1e9},
                                .needs = "objective=elbo"});
    field(self.step_draws, FieldSpec{.name = "step_draws",
                                     .help = "draws of a step; 100 at least of chi2",
                                     .range = {.lo = 1.0, .hi = 1e6}});
    field(self.step, FieldSpec{.name = "step",
                               .help = "first step size; 1 is about a posterior standard deviation",
                               .range = positive()});
    field(self.stop,
          FieldSpec{.name = "stop",
                    .help = "stationary: steps are halved while that moves their average; "
                            "patience: while the bound rises",
                    .values = "stationary|patience"});
    field(self.tolerance,
          FieldSpec{.name = "tolerance",
                    .help = "standard deviations that may be left to gain when steps are halved "
                            "no more",
                    .range = positive(),
                    .needs = "stop=stationary"});
    field(self.window, FieldSpec{.name = "window",
                                 .help = "steps over which the bound is averaged",
                                 .range = {.lo = 1.0, .hi = 1e6},
                                 .needs = "stop=patience"});
    field(self.patience, FieldSpec{.name = "patience",
                                   .help = "windows without a higher bound after which it stops",
                                   .range = {.lo = 1.0, .hi = 1e6},
                                   .needs = "stop=patience"});
    field(self.max_steps,
          FieldSpec{.name = "max_steps", .help = "steps at most", .range = {.lo = 1.0, .hi = 1e9}});
  }
};
inline constexpr Index kMostOfFullCovariance = 200;  // dimensions
inline constexpr Index kMostOfFixedDraws = 2000;

// Bounds by new draws of a distribution, with standard errors, of the density as written.
struct FreshBounds {
  LogEvidence elbo;       // from below
  LogEvidence objective;  // of the objective that was climbed
  LogEvidence weights;    // log of the mean weight: the evidence itself, as far as draws reach
  LogEvidence upper;  // half the log of the mean squared weight: from above, as far as draws reach
};
FreshBounds bounds_by_new_draws(const density::LogDensity& density, DistributionFamily& family,
                                const BoundOptions& options);

struct BestNormal {
  std::shared_ptr<NormalFamily> family;
  LogEvidence bound;  // the highest lower bound: the objective, unless that is an upper one
  FreshBounds bounds;
  bool converged = false;
  bool took_steps = false;  // by estimated gradients
  Index num_evaluations = 0;
  std::vector<BoundRow> course;
  std::vector<std::string> remarks = {};  // for the user
};

// Throws Error(usage) without a gradient, with discrete coordinates, with a full covariance of too many dimensions, or options that
// don't fit; Error(evaluation) where no start has a bound, or the best distribution draws points without a density, so that its
// bound is -infinity.
BestNormal maximise_bound(const density::LogDensity& density, const BoundOptions& options);

}  // namespace credo::infer
