// Sequential Monte Carlo from the prior to the posterior by tempering the likelihood [delmoral2006;
// murphy2023, alg. 22]. Each chain of the run is a population of its own, whose particles are its draws.
#pragma once
#include "infer/compose/movers.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/smc/start.hpp"

namespace credo::infer {

// Options of particle moves, shared by all SMC algorithms.
inline constexpr FieldSpec kNumMovesField{.name = "num_moves",
                                          .help = "moves of each particle at each temperature",
                                          .range = {.lo = 1.0, .hi = 1e6}};
inline constexpr FieldSpec kMoveAcceptField{
    .name = "move_accept",
    .help =
        "acceptance that the moves' scale is tuned to; 0: 0.8, without a "
        "gradient 0.234 to 0.44 by dimension",
    .range = {.lo = 0.0, .hi = 1.0, .hi_open = true}};
inline constexpr FieldSpec kMoveMetricField{.name = "move_metric",
                                            .help =
                                                "covariance of the particles that the moves use: "
                                                "unit_e, diag_e or dense_e"};

inline constexpr FieldSpec kMoveUntilField{.name = "move_until",
                                           .help =
                                               "moves continue, num_moves at a time, until no "
                                               "coordinate's correlation with where its particle "
                                               "was before is above this; 1: num_moves alone",
                                           .range = {.lo = 0.0, .hi = 1.0, .lo_open = true}};
inline constexpr FieldSpec kMostMovesField{.name = "most_moves",
                                           .help = "most moves of a stage with move_until",
                                           .range = {.lo = 1.0, .hi = 1e6},
                                           .needs = "move_until"};

struct SmcOptions {
  PathStart from = PathStart::prior;
  double reference_sd = 5.0;
  ChosenRow mover = {};
  Index num_moves = 3;
  double conditional_ess = 0.8;
  double resample_below = 0.5;
  double move_accept = 0.0;
  MetricKind move_metric = MetricKind::diagonal;
  double move_until = 1.0;
  Index most_moves = 300;
  std::string powers = "";
  Index waste_free = 0;

  static void describe(auto& self, auto&& field) {
    field(self.from, kPathStartField);
    field(self.reference_sd, needing(kReferenceSdField, "from=normal"));
    field(self.mover, kMoverField);
    field(self.num_moves, needing(kNumMovesField, "!waste_free"));
    field(self.conditional_ess,
          FieldSpec{.name = "conditional_ess",
                    .help = "share of the effective particles that a step of the temperature keeps",
                    .range = between(0.0, 1.0),
                    .needs = "!powers"});
    field(self.resample_below,
          FieldSpec{.name = "resample_below",
                    .help = "resample where the effective particles are below this share of all",
                    .range = {.lo = 0.0, .hi = 1.0},
                    .needs = "!waste_free"});
    field(self.move_accept, kMoveAcceptField);
    field(self.move_metric, kMoveMetricField);
    field(self.move_until, kMoveUntilField);
    field(self.most_moves, kMostMovesField);
    field(self.powers,
          FieldSpec{.name = "powers",
                    .help = "powers of the likelihood: ascending numbers up to 1 with commas "
                            "between, or geometric:G, which are (1 + G)^t - 1; empty: by "
                            "conditional_ess"});
    field(self.waste_free,
          FieldSpec{.name = "waste_free",
                    .help = "states of the chain that each resampled particle becomes, all of "
                            "which are kept; 0: particles move num_moves times, and the last "
                            "state is kept",
                    .range = {.lo = 0.0, .hi = 1e6}});
  }
};

// The powers that a text states; empty: it states none. Throws Error(usage) for what isn't such a text.
std::vector<double> powers_of(const std::string& text);

// Columns of a draw: the last moves of its particle.
struct SmcInfo {
  double log_density = 0.0, accept_stat = kNaN;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
  }
};

// A row of the table of stages, which are the steps of the temperature.
struct SmcStage {
  double inverse_temperature = 0.0;
  double conditional_ess = 1.0, ess = 1.0;
  bool resampled = false;
  double log_evidence = 0.0;
  Index num_ancestors = 0;
  double accept_stat = 1.0, scale = 1.0;
  Index num_divergent = 0, num_moves = 0;

  static void describe(auto& self, auto&& field) {
    field(self.inverse_temperature,
          FieldSpec{.name = "inverse_temperature", .help = "power of the likelihood"});
    field(self.conditional_ess,
          FieldSpec{.name = "conditional_ess",
                    .help = "share of the effective particles that this step kept"});
    field(self.ess, FieldSpec{.name = "ess",
                              .help = "effective particles as a share of all, before resampling"});
    field(self.resampled, FieldSpec{.name = "resampled", .help = "1 if particles were resampled"});
    field(self.log_evidence, FieldSpec{.name = "log_evidence", .help = "so far"});
    field(self.num_ancestors,
          FieldSpec{.name = "num_ancestors", .help = "first particles that have offspring left"});
    field(self.accept_stat,
          FieldSpec{.name = "accept_stat", .help = "mean acceptance of the moves"});
    field(self.scale, FieldSpec{.name = "scale", .help = "scale of the moves"});
    field(self.num_divergent, FieldSpec{.name = "num_divergent", .help = "divergent moves"});
    field(self.num_moves, FieldSpec{.name = "num_moves", .help = "moves of each particle"});
  }
};

}  // namespace credo::infer
