// Nested sampling [skilling2006]: live points from the prior, of which the lowest die and are replaced by draws
// from the prior above them, until the rest of the prior adds too little to the evidence. The dead points
// are weighted draws from the posterior. docs/evidence.md
#pragma once
#include "infer/core/columns.hpp"
#include "infer/core/sample.hpp"
#include "infer/smc/start.hpp"

namespace credo::infer {

enum class ConstrainedMove { slice, walk, rejection, ellipsoids, galilean, hamiltonian };
inline constexpr std::array<std::string_view, 6> kConstrainedMoveNames = {
    "slice", "walk", "rejection", "ellipsoids", "galilean", "hamiltonian"};
inline constexpr std::span<const std::string_view> enum_names(ConstrainedMove) {
  return kConstrainedMoveNames;
}

enum class LiveAim { constant, evidence, posterior };
inline constexpr std::array<std::string_view, 3> kLiveAimNames = {"constant", "evidence",
                                                                  "posterior"};
inline constexpr std::span<const std::string_view> enum_names(LiveAim) { return kLiveAimNames; }

struct NestedOptions {
  Index live_points = 400;
  double replaced = 0.1;
  double tolerance = 0.01;
  ConstrainedMove move = ConstrainedMove::slice;
  Index num_moves = 0;
  bool in_cube = false;
  LiveAim aim = LiveAim::constant;
  PathStart from = PathStart::prior;
  double reference_sd = 5.0;

  static void describe(auto& self, auto&& field) {
    field(self.live_points, FieldSpec{.name = "live_points",
                                      .help = "points that live at a time: the error falls with "
                                              "their root",
                                      .range = {.lo = 10.0, .hi = 1e7}});
    field(self.replaced,
          FieldSpec{.name = "replaced",
                    .help = "share of the live points that is replaced in one step; at least one "
                            "is",
                    .range = {.lo = 0.0, .hi = 0.5}});
    field(self.tolerance,
          FieldSpec{.name = "tolerance",
                    .help = "tolerance of the log evidence: the run ends when the live "
                            "points would add less",
                    .range = positive()});
    field(self.move, FieldSpec{.name = "move",
                               .help = "how points are drawn above a likelihood: slices, random "
                                       "walks, straight paths that reflect (galilean) or "
                                       "Hamiltonian ones from others, or draws of the prior, or of "
                                       "ellipsoids around the points, "
                                       "until one is above"});
    field(self.num_moves, FieldSpec{.name = "num_moves",
                                    .help = "slices, steps or paths of each new point; 0: by "
                                            "the dimension",
                                    .range = {.lo = 0.0, .hi = 1e9}});
    field(self.in_cube,
          FieldSpec{.name = "in_cube",
                    .help = "move in the unit cube, where the prior is uniform, if it has "
                            "a map from there; not in the unconstrained space"});
    field(self.aim, FieldSpec{.name = "aim",
                              .help = "aim of the number of live points, which varies with the "
                                      "likelihood for the least error of the evidence, or of the "
                                      "posterior; or constant"});
    field(self.from, kPathStartField);
    field(self.reference_sd, kReferenceSdField);
  }
};

struct NestedInfo {
  double log_density = 0.0, log_weight = 0.0, log_likelihood = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.log_weight, kLogWeightColumn);
    field(self.log_likelihood,
          FieldSpec{.name = "log_likelihood", .help = "log likelihood at the draw"});
  }
};

// A row of the table `nested`: a step.
struct NestedStep {
  double log_likelihood = 0.0, log_mass = 0.0, log_evidence = 0.0, log_remaining = 0.0;
  Index num_replaced = 0;
  double accept_stat = 0.0;
  Index num_candidates = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_likelihood,
          FieldSpec{.name = "log_likelihood", .help = "threshold: new points lie above"});
    field(self.log_mass,
          FieldSpec{.name = "log_mass", .help = "log of the prior mass above it, its mean"});
    field(self.log_evidence,
          FieldSpec{.name = "log_evidence", .help = "log evidence of the dead points"});
    field(self.log_remaining,
          FieldSpec{.name = "log_remaining", .help = "log evidence of the live points"});
    field(self.num_replaced,
          FieldSpec{.name = "num_replaced", .help = "points that died and were replaced"});
    field(self.accept_stat, FieldSpec{.name = "accept_stat",
                                      .help = "share of the candidates that were taken",
                                      .range = {.lo = 0.0, .hi = 1.0}});
    field(self.num_candidates,
          FieldSpec{.name = "num_candidates", .help = "candidates of the new points"});
  }
};

}  // namespace credo::infer
