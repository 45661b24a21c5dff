// Step size by dual averaging [hoffman2014, sec. 3.2].
#pragma once
#include "infer/core/fields.hpp"

namespace credo::infer {

struct DualAveragingOptions {
  double target_accept = 0.8;   // higher: smaller steps, fewer divergences
  double shrinkage = 0.05;      // gamma; pulls log step size towards log(10 × initial)
  double relaxation = 0.75;     // kappa; weight t^-kappa of iteration t
  double stabilisation = 10.0;  // t0; damps the first iterations

  static void describe(auto& self, auto&& field) {
    field(self.target_accept,
          FieldSpec{.name = "target_accept",
                    .help = "target acceptance of a Hamiltonian sampler's warm-up, in (0, 1)",
                    .range = between(0.0, 1.0),
                    .stan_name = "delta",
                    .option = "--adapt-delta"});
    field(self.shrinkage, FieldSpec{.name = "shrinkage",
                                    .help = "regularisation scale of the step size adaptation",
                                    .range = positive(),
                                    .stan_name = "gamma"});
    field(self.relaxation, FieldSpec{.name = "relaxation",
                                     .help = "relaxation exponent of the step size adaptation",
                                     .range = positive(),
                                     .stan_name = "kappa"});
    field(self.stabilisation, FieldSpec{.name = "stabilisation",
                                        .help = "iteration offset of the step size adaptation",
                                        .range = positive(),
                                        .stan_name = "t0"});
  }
};

// Plain data.
class DualAveraging {
 public:
  explicit DualAveraging(const DualAveragingOptions& options) : options_(options) {}

  void restart(double step_size);     // forgets; shrinks towards 10 × step_size
  double learn(double accept_stat);   // the step size to try next; NaN counts as 0
  double averaged_step_size() const;  // for sampling
  static void saved(auto& self, auto&& field) {
    field(self.shrink_towards_);
    field(self.error_sum_);
    field(self.log_average_);
    field(self.count_);
  }

 private:
  DualAveragingOptions options_;
  double shrink_towards_ = 0.0, error_sum_ = 0.0, log_average_ = 0.0;
  double count_ = 0.0;
};

}  // namespace credo::infer
