// Coordinate ascent on the bound of independent factors [bishop2006, section 10.1]: the natural parameters of a factor become the
// gradient of g by the expectations of its statistics (density/moment_form.hpp), one factor after the other.
#pragma once
#include "infer/core/fields.hpp"
#include "infer/messages/factors.hpp"

namespace credo::infer {

struct CoordinateOptions {
  std::vector<std::string> join = {};
  bool separate = false;
  double damping = 0.0;  // share of the new natural parameters, as in infer/sites; 0: automatic
  std::string order = "sites";
  std::vector<std::string> point = {};
  Index num_starts = 8;
  double init_radius = 2.0;
  Index max_sweeps = 10'000;
  double tolerance = 1e-9;
  Index batch = 0;

  static void describe(auto& self, auto&& field) {
    field(self.join,
          FieldSpec{.name = "join",
                    .help = "parameters that share a factor, as mu+tau,a+b; auto: numbers "
                            "with the precision that scales all of their terms"});
    field(self.separate,
          FieldSpec{.name = "separate",
                    .help = "a factor for each value of a parameter without bounds"});
    field(self.damping,
          FieldSpec{.name = "damping",
                    .help = "share of a factor's new natural parameters, the rest are the old "
                            "ones; 0: 1 for one factor at a time and 0.5 for all",
                    .range = {.lo = 0.0, .hi = 1.0}});
    field(self.order, FieldSpec{.name = "order",
                                .help = "factors move one after the other, or all at once",
                                .values = "sites|all"});
    field(self.point, FieldSpec{.name = "point",
                                .help = "parameters that are estimated as points: variational EM; "
                                        "all of them: the mode by EM"});
    field(self.num_starts, FieldSpec{.name = "num_starts",
                                     .help = "starts, of which the one with the best bound counts",
                                     .range = {.lo = 1.0, .hi = 1e4}});
    field(self.init_radius,
          FieldSpec{.name = "init_radius",
                    .help = "parameters without a prior begin uniformly on (-radius, radius)",
                    .range = {.lo = 0.0, .hi_open = true}});
    field(self.max_sweeps, FieldSpec{.name = "max_sweeps",
                                     .help = "sweeps over all factors, at most",
                                     .range = {.lo = 1.0, .hi = 1e7}});
    field(self.tolerance,
          FieldSpec{
              .name = "tolerance",
              .help = "gain of the bound in a sweep, relative to its size, that ends the ascent",
              .range = {.lo = 0.0, .hi = 1.0}});
    field(self.batch,
          FieldSpec{.name = "batch",
                    .help = "rows with labels a step, each used once a sweep: steps of size "
                            "(t + 1)^-0.7; 0: all rows",
                    .range = {.lo = 0.0, .hi = 1e9}});
  }
};

// The share of new natural parameters that the options ask for.
inline double share_of_new(const CoordinateOptions& options) {
  if (options.damping > 0.0) return options.damping;
  return options.order == "all" ? 0.5 : 1.0;
}

struct CoordinateRow {
  double bound = 0.0, change = 0.0;
  Index num_evaluations = 0;
  static void saved(auto& self, auto&& field) {
    field(self.bound);
    field(self.change);
    field(self.num_evaluations);
  }
};

// Factors that belong together: their natural parameters and E t.
struct CoordinateState {
  std::vector<double> natural, statistics;
  static void saved(auto& self, auto&& field) {
    field(self.natural);
    field(self.statistics);
  }
};

struct CoordinateFit {
  CoordinateState state;
  double bound = -kInfinity;
  bool converged = false;
  Index num_evaluations = 0;
  std::vector<CoordinateRow> course;
  std::vector<double> start_bounds;  // bounds of all starts that ended
};

// Faults for tests of the tests.
struct AscentFault {
  bool drops_entropy = false;  // leaves out the first block's entropy
};

// `starts`: statistics to begin at. Throws Error(program) for a factor that isn't proper, and Error(internal) where the bound of
// undamped updates falls by more than 1e-9 of its size.
CoordinateFit ascend(const density::MomentForm& form, const CoordinateOptions& options,
                     std::span<const std::vector<double>> starts, AscentFault fault = {});

// Stochastic variational inference [hoffman2013]: λ <- (1 - ρ) λ + ρ ∇g with the gradient of a batch of rows, ρ = (t + 1)^-0.7; a sweep uses
// each row once. Throws Error(usage) where the program has no rows with labels, or too few.
CoordinateFit ascend_by_batches(const density::MomentForm& form, const CoordinateOptions& options,
                                std::vector<double> start, Rng& rng);

// Σ entropies of the factors that aren't points.
double entropies(const density::MomentForm& form, const CoordinateState& state,
                 std::span<const char> is_point);

// A mark for each block: true if it is a point. Throws Error(usage) for a name that no block has.
std::vector<char> point_marks(const density::MomentForm& form, std::span<const std::string> names);

// True if coordinate ascent with the joint factors that are found (--join auto) gives the posterior itself: log p - log q is the bound at
// all of some draws of q, to 1e-9 of its size. False if the density has no such form.
bool is_exact_by_factors(const density::LogDensity& density, std::uint64_t seed);

}  // namespace credo::infer
