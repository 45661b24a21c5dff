// How a climb of a family to its best member went.
#pragma once
#include "infer/core/fields.hpp"
#include "infer/variational/families/normal_family.hpp"

namespace credo::infer {

// A row of the course of a climb.
struct BoundRow {
  double bound = 0.0, step = 0.0, gradient = 0.0;
  Index num_evaluations = 0;
  double signal_to_noise = kNaN;
  double gain = 0.0;  // set where rows are stored

  static void describe(auto& self, auto&& field) {
    field(self.bound, FieldSpec{.name = "bound",
                                .help = "the objective by the draws of the climb; with estimated "
                                        "gradients its mean since the row before"});
    field(self.step, FieldSpec{.name = "step", .help = "step size; 1: as L-BFGS proposed it"});
    field(self.gradient,
          FieldSpec{.name = "largest_gradient", .help = "largest component of its gradient"});
    field(self.num_evaluations,
          FieldSpec{.name = "num_evaluations", .help = "evaluations of the density so far"});
    field(self.signal_to_noise,
          FieldSpec{.name = "signal_to_noise",
                    .help = "absolute mean of estimated gradients over their standard deviation, "
                            "over the steps since the row before: mean of the components"});
    field(self.gain, FieldSpec{.name = "gain",
                               .help = "bound less that of the row before; 0 in the first row"});
  }
  static void saved(auto& self, auto&& field) {
    field(self.bound);
    field(self.step);
    field(self.gradient);
    field(self.num_evaluations);
    field(self.signal_to_noise);
    field(self.gain);
  }
};

struct ClimbResult {
  double objective = -kInfinity;  // by the draws of the climb
  bool converged = false;
  Index num_evaluations = 0;
  std::vector<BoundRow> course;
  bool is_lost = false;                   // the steps led far below the start
  std::vector<std::string> remarks = {};  // for the user
};

struct FittedFamily : ClimbResult {
  std::unique_ptr<NormalFamily> family;  // at its best member
};

}  // namespace credo::infer
