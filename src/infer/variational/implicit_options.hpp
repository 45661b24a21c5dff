// Options of implicit approximations.
#pragma once
#include "infer/core/fields.hpp"

namespace credo::infer {

struct ImplicitDrawOptions {
  Index hidden = 16;
  Index rounds = 50, round_steps = 10;
  Index step_draws = 100;
  Index classifier_draws = 1000;
  double step = 0.02;

  static void describe(auto& self, auto&& field) {
    field(self.hidden, FieldSpec{.name = "hidden",
                                 .help = "hidden units of the generator and of the classifier",
                                 .range = {.lo = 1.0, .hi = 1000.0}});
    field(self.rounds,
          FieldSpec{.name = "rounds",
                    .help = "rounds: in each the classifier learns anew from new draws",
                    .range = {.lo = 1.0, .hi = 1e6}});
    field(self.round_steps, FieldSpec{.name = "round_steps",
                                      .help = "steps of the generator in a round",
                                      .range = {.lo = 1.0, .hi = 1e6}});
    field(self.step_draws,
          FieldSpec{
              .name = "step_draws", .help = "draws of a step", .range = {.lo = 1.0, .hi = 1e6}});
    field(self.classifier_draws,
          FieldSpec{.name = "classifier_draws",
                    .help = "draws of the generator, and as many of the normal distribution that "
                            "it is compared with, for the classifier",
                    .range = {.lo = 10.0, .hi = 1e7}});
    field(self.step, FieldSpec{.name = "step",
                               .help = "first step size of the generator's parameters; it falls "
                                       "with the root of the rounds",
                               .range = positive()});
  }
};

}  // namespace credo::infer
