// Options of Hamiltonian variational inference.
#pragma once
#include "infer/variational/families/normal_family.hpp"

namespace credo::infer {

struct HamiltonianOptions {
  Index leapfrog = 5;
  CovarianceShape first_covariance = CovarianceShape::automatic;
  Index max_iterations = 100;
  double tolerance = 1e-5;
  Index num_fresh = 10'000;

  static void describe(auto& self, auto&& field) {
    field(self.leapfrog, FieldSpec{.name = "leapfrog",
                                   .help = "leapfrog steps of the trajectory of a draw",
                                   .range = {.lo = 1.0, .hi = 100.0}});
    field(self.first_covariance,
          FieldSpec{.name = "first_covariance",
                    .help = "covariance of the distribution that trajectories begin at, full or "
                            "diagonal; auto: full up to 30 values"});
    field(self.max_iterations, FieldSpec{.name = "max_iterations",
                                         .help = "iterations at most",
                                         .range = {.lo = 1.0, .hi = 1e9}});
    field(self.tolerance,
          FieldSpec{.name = "tolerance",
                    .help = "largest component of the bound's gradient at its end, relative to 1 "
                            "and the bound",
                    .range = positive()});
    field(self.num_fresh, FieldSpec{.name = "num_fresh",
                                    .help = "draws of the reported bounds",
                                    .range = {.lo = 2.0, .hi = 1e9}});
  }
};

}  // namespace credo::infer
