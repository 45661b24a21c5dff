// A climb to a mode of a log density, as a job (infer/core/job.hpp): the part that all methods share. A step is an
// iteration; the last one computes the curvature where the climb has ended, judges the end and hands
// one draw, the best point.
//
//   Climb          begins, ends, saves; a method says what an iteration is
//   ClimbEnd       why it ended; a mode was found for the first two
//   ChainResult    inv_metric: (-∇² log p)⁻¹ there, dense, if it is positive definite; tuned: mode, gradient,
//                  and `limits`, directions of D values, one after another, that the end is about
//
// Group "climb", row "iteration": how it went.
#pragma once
#include "infer/core/chain.hpp"
#include "infer/optimise/curvature.hpp"
#include "infer/optimise/lbfgs.hpp"
#include "infer/optimise/line_search.hpp"

namespace credo::infer {

enum class ClimbEnd {
  none,            // it continues
  gain,            // what a Newton step would still gain is below the tolerance
  change,          // the log density has stopped to change, to its last digits
  max_iterations,  // as many as were allowed
  line_search,     // no point along the direction climbs
  unbounded,       // the log density rises wherever the climb went: it seems to have no maximum
  infinity,        // it levels off, and the step to its top is as long as the way there
  saddle,          // the gradient vanishes, but a direction leads uphill
  schedule,        // a walk whose temperature falls is over, and nothing climbs on
  steps            // the steps of an optimiser are done, and nothing climbs on
};
inline constexpr std::string_view kClimbLength = "a climb ends at a mode, which is its draw";
inline bool has_converged(ClimbEnd end) { return end == ClimbEnd::gain || end == ClimbEnd::change; }
// The words after "it ended because".
std::string_view words_of(ClimbEnd end);

struct ClimbOptions {
  Index max_iterations = 2000;
  double tolerance = 1e-12;
  double tolerance_change = 1e-14;
  Index max_curvature = 300;

  static void describe(auto& self, auto&& field) {
    field(self.max_iterations,
          FieldSpec{.name = "max_iterations", .help = "iterations at most", .range = at_least(1)});
    field(self.tolerance,
          FieldSpec{.name = "tolerance",
                    .help = "a climb ends where a Newton step would gain less, in nats",
                    .range = {.lo = 0.0, .hi_open = true}});
    field(self.tolerance_change,
          FieldSpec{.name = "tolerance_change",
                    .help = "it ends, too, where the log density changes by less, relative to "
                            "itself, three times in a row",
                    .range = {.lo = 0.0, .hi_open = true}});
    field(
        self.max_curvature,
        FieldSpec{
            .name = "max_curvature",
            .help = "the curvature at the end is computed for so many unconstrained values at most",
            .range = at_least(0)});
  }
};

// Columns of the draw.
struct ClimbInfo {
  double log_density = 0.0, gradient = 0.0, gain = 0.0;
  Index num_iterations = 0, end = 0, curvature = 0;
  bool converged = false;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, FieldSpec{.name = "log_density",
                                      .help = "log density at the end of the climb",
                                      .stan_name = "lp__",
                                      .arviz_name = "lp"});
    field(self.gradient,
          FieldSpec{.name = "largest_gradient", .help = "largest component of its gradient there"});
    field(self.gain, FieldSpec{.name = "gain",
                               .help = "nats that a Newton step would still gain; NaN: unknown"});
    field(self.num_iterations, FieldSpec{.name = "num_iterations", .help = "iterations"});
    field(self.converged, FieldSpec{.name = "converged", .help = "a mode was found"});
    field(self.end, FieldSpec{.name = "end", .help = "why it ended, by number: docs/optimize.md"});
    field(self.curvature,
          FieldSpec{.name = "curvature",
                    .help = "0 unknown, 1 peaked, 2 flat in some directions, 3 uphill in some"});
  }
};

// A row of the table of iterations.
struct ClimbRow {
  double log_density = 0.0, gradient = 0.0, step = 0.0;
  Index num_evaluations = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, FieldSpec{.name = "log_density", .help = "after the iteration"});
    field(self.gradient,
          FieldSpec{.name = "largest_gradient", .help = "largest component of its gradient"});
    field(self.step,
          FieldSpec{.name = "step", .help = "length of the step, 1: as it was proposed"});
    field(self.num_evaluations, FieldSpec{.name = "num_evaluations", .help = "so far"});
  }
};

// The setup that a run gives its climbs.
struct ClimbSetup {
  RunContext& context;
  Index number;  // from 0
  bool exact;    // second derivatives are available
};

class Climb : public Job {
 public:
  Climb(const ClimbSetup& setup, const ClimbOptions& climb_options);

  Step<Nothing> begin() final;
  bool is_done() const final { return is_handed_; }
  Step<Nothing> advance() final;

  // A method saves these, and its own state.
  static void saved(auto& self, auto&& field) {
    field(self.here);
    field(self.num_iterations);
    field(self.num_level);
    field(self.num_restarts);
    field(self.end_);
    field(self.is_handed_);
  }

 protected:
  // One iteration. It moves `here`, or ends the climb.
  virtual Step<Nothing> iterate() = 0;
  // The inverse of the curvature at `here`, from which a climb that ended too early continues. False:
  // the method has no use for it.
  virtual bool restart(std::span<const double> /*covariance*/) { return false; }
  // For each coordinate 0; 1 with a kink elsewhere; 2 at a kink, where no second derivative is. Empty: no kinks are known.
  virtual std::vector<double> kinks_held() const { return {}; }

  // Moves `here` along a direction uphill, by a line search, or ends the climb. `gain`: what the method
  // believes that the whole step gains.
  // True: `here` has moved.
  Step<bool> move_along(std::span<const double> direction, double first_step, double gain);
  // An iteration of L-BFGS [nocedal2006, alg. 7.5].
  Step<Nothing> climb_by(QuasiNewton& matrix);
  // Checks values that were read: throws Error(io) unless it has as many values as there are coordinates.
  void check(std::span<const double> values) const;
  void check(const QuasiNewton& matrix) const;
  // An iteration in which the method moves `here` without a line search reports it.
  void report_iteration(double step);
  void finish(ClimbEnd end) { end_ = end; }

  const ClimbOptions options;
  PointState here, before;                                    // `before`: where the last move began
  Index num_iterations = 0, num_level = 0, num_restarts = 0;  // of them: line searches

 private:
  Step<Nothing> look_around();
  void take_step(std::span<const double> hessian);
  Curvature curvature_off_kinks(std::span<const double> hessian, double precision) const;
  void judge();
  void hand_over();
  ClimbInfo info() const;

  LineSearch line_;
  const bool is_exact_;
  ClimbEnd end_ = ClimbEnd::none;
  bool is_handed_ = false;
  Curvature curvature_;  // computed by the last step alone
  std::vector<double> newton_step_, limits_;
};

std::vector<RowGroup> climb_groups();

// Why the second derivatives of a density aren't available; empty if they are. A program is traced to
// find out.
std::string why_no_hessian(const density::LogDensity& density);

// Throws Error(usage) if the expected information of the outcomes isn't available; a program is traced to find out.
void require_information(const density::LogDensity& density, std::string_view method);

// One climb for each chain, one draw from each. Throws Error(usage) for a density with discrete
// coordinates or without a gradient.
using ClimbMaker = std::function<std::unique_ptr<Job>(const ClimbSetup&)>;
RunResult run_climbs(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink, const ClimbOptions& climb, const ClimbMaker& make);

}  // namespace credo::infer
