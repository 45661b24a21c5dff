// Columns and options that the kernels have in common.
#pragma once
#include "infer/fields.hpp"

namespace credo::infer {

inline constexpr FieldSpec kLogDensityColumn{.name = "log_density",
                                             .help = "log density at the draw, unconstrained space",
                                             .stan_name = "lp__"};
inline constexpr FieldSpec kAcceptColumn{.name = "accept_stat",
                                         .help = "Metropolis probability of the proposal",
                                         .range = {.lo = 0.0, .hi = 1.0},
                                         .stan_name = "accept_stat__"};
inline constexpr FieldSpec kAcceptedColumn{
    .name = "accepted", .help = "1 if the proposal was accepted", .stan_name = "accepted__"};
inline constexpr FieldSpec kEvaluationsColumn{.name = "num_evaluations",
                                              .help = "evaluations of the log density",
                                              .range = at_least(0),
                                              .stan_name = "n_evaluations__"};

// Of kernels that use the covariance of their warm-up.
inline constexpr FieldSpec kJitterField{.name = "jitter",
                                        .help = "multiple of the identity added to the covariance",
                                        .range = positive()};
inline constexpr FieldSpec kNumBeforeField{
    .name = "num_before",
    .help = "transitions before the first covariance is used",
    .range = at_least(2)};

}  // namespace credo::infer
