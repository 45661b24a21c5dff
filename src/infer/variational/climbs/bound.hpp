// The normal distribution of a family that makes an objective best: the evidence bound [murphy2023, sec. 10.1.2]
//
//   L(q) = E_q[log p(x) - log q(x)] <= log Z,   log Z - L(q) = KL(q ‖ p / Z)
//
// by L-BFGS on fixed draws (fixed_draw_bound.hpp), or any objective by estimated gradients (climb_stochastic.hpp). Climbs begin at
// Laplace's fit, or from draws of the prior if the density has no mode. The reported bounds are those of new draws, with their
// standard errors.
#pragma once
#include "infer/core/sample.hpp"
#include "infer/variational/climbs/fitted_family.hpp"
#include "infer/variational/climbs/objectives.hpp"

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
  double power = 1.0;  // times that the likelihood counts, of gvi
  std::string stop = "stationary";
  double tolerance = 0.01;  // standard deviations
  Index window = 20, patience = 20;
  Index max_steps = 50'000;
  Index fixed_points = 1;      // rounds for each batch of foovb and bgd
  double learning_rate = 1.0;  // of the means of bgd
  double temper = 1.0;
  Index refine = 0;  // transitions of draws at which points are climbed, of families with points
  std::uint64_t seed = 1;
  std::function<void(const FitProgress&)> on_fit = nullptr;
  Index num_threads = 1;  // threads of an evaluation; no value depends on them

  // All fields but `refine`, and the seed and those behind it, which are the run's.
  static void describe(auto& self, auto&& field) {
    field(self.covariance,
          FieldSpec{.name = "covariance",
                    .help = "covariance of the normal distribution; auto: full up to 200 values, "
                            "of low rank up to 2000, else diagonal"});
    field(self.rank, kRankField);
    field(self.join, kJoinField);
    field(self.objective,
          FieldSpec{.name = "objective",
                    .help = "objective of the climb: elbo, iwae:S, renyi:a, chi2, eubo, or gvi:a"});
    field(self.gradient,
          FieldSpec{.name = "gradient",
                    .help = "estimator of the gradient; auto: stl for the evidence bound, daydream "
                            "for eubo, divergence for gvi, else dreg",
                    .values = "auto|reparam|stl|dreg|score|score_cv|daydream|divergence"});
    field(self.optimizer,
          FieldSpec{.name = "optimizer",
                    .help = "lbfgs on fixed draws, or steps by estimated gradients; auto: lbfgs "
                            "for the evidence bound of all rows up to 2000 values, else adam; "
                            "natural: natural gradients; foovb, bgd: one pass over the rows by "
                            "fixed points, of a full and of a diagonal covariance",
                    .values = "auto|lbfgs|adagrad|adam|adamax|amsgrad|bgd|foovb|gradient|"
                              "momentum|nadam|natural|nesterov|rmsprop"});
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
                                     .help = "draws of a step; 100 at least of chi2 and eubo",
                                     .range = {.lo = 1.0, .hi = 1e6}});
    field(self.step, FieldSpec{.name = "step",
                               .help = "first step size; 1 is about a posterior standard deviation",
                               .range = positive()});
    field(self.power,
          FieldSpec{.name = "power",
                    .help = "times that the likelihood counts beside the divergence from the "
                            "prior, with the objective gvi",
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
    field(self.fixed_points, FieldSpec{.name = "fixed_points",
                                       .help = "rounds to the fixed point for each batch of rows; "
                                               "1: a step",
                                       .range = {.lo = 1.0, .hi = 1e6},
                                       .needs = "optimizer=foovb|bgd"});
    field(self.learning_rate, FieldSpec{.name = "learning_rate",
                                        .help = "factor of the steps of the means",
                                        .range = positive(),
                                        .needs = "optimizer=bgd"});
    field(self.temper,
          FieldSpec{.name = "temper",
                    .help = "the divergence from the prior is that of distributions with so many "
                            "times the precision: means are held more, variances as before",
                    .range = positive(),
                    .needs = "objective=elbo"});
  }
};

// A field of BoundOptions that a method of another family has, with a help of its own where it means something else there.
struct ClimbField {
  std::string_view name, help = {};
};
void describe_climb(auto& climb, std::span<const ClimbField> fields, auto&& field) {
  BoundOptions::describe(climb, [&](auto& value, FieldSpec spec) {
    const auto own = std::ranges::find(fields, spec.name, &ClimbField::name);
    if (own == fields.end()) return;
    if (!own->help.empty()) spec.help = own->help;
    spec.needs = {};  // on fields that the method lacks
    field(value, spec);
  });
}

inline constexpr std::string_view kNaturalSteps = "natural";
inline constexpr Index kMostOfFullCovariance = 200;  // dimensions
inline constexpr Index kMostOfFixedDraws = 2000;

// Bounds by new draws of a distribution, with standard errors, of the density as written.
struct FreshBounds {
  LogEvidence elbo;       // from below
  LogEvidence objective;  // of the objective that was climbed
  LogEvidence weights;    // log of the mean weight: the evidence itself, as far as draws reach
  LogEvidence upper;  // half the log of the mean squared weight: from above, as far as draws reach
  LogEvidence eubo;   // mean log ratio of draws weighted to the posterior: from above, too
};
// By log ratios log p - log q of draws of q.
FreshBounds bounds_of_ratios(std::span<const double> log_ratios, const Objective& objective);
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
  double held_out =
      kNaN;  // mean log q of simulated pairs that the fit hasn't seen; NaN without any
};

// Throws Error(usage) without a gradient, with discrete coordinates, with a full covariance of too many dimensions, or options that
// don't fit; Error(evaluation) where no start has a bound, or the best distribution draws points without a density, so that its
// bound is -infinity.
BestNormal maximise_bound(const density::LogDensity& density, const BoundOptions& options);

// Throws Error(usage) for options of steps that aren't at their defaults, since the climb takes none.
void require_no_steps(const BoundOptions& own,
                      const char* hint = "add --optimizer adam, or leave this out");

// The fit of a family that is made at a start, in the place of that of options.covariance.
using FamilyMaker = std::function<std::unique_ptr<NormalFamily>(const FamilySetup& start)>;
// `inner_steps`: gradient steps of the family's offsets (inner_steps.hpp), on fixed draws.
BestNormal climb_family(const density::LogDensity& density, const BoundOptions& options,
                        const FamilyMaker& make, Index inner_steps = 0);

}  // namespace credo::infer
