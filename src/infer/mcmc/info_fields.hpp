// Columns and options that Markov kernels have in common.
#pragma once
#include "infer/core/columns.hpp"

namespace credo::infer {

inline constexpr FieldSpec kAcceptColumn{.name = "accept_stat",
                                         .help =
                                             "Metropolis probability, averaged over the points "
                                             "proposed in one transition",
                                         .range = {.lo = 0.0, .hi = 1.0},
                                         .stan_name = "accept_stat__",
                                         .arviz_name = "acceptance_rate"};
inline constexpr FieldSpec kAcceptedColumn{
    .name = "accepted", .help = "1 if the proposal was accepted", .stan_name = "accepted__"};
inline constexpr FieldSpec kStepSizeColumn{.name = "step_size",
                                           .help = "step size of the integrator",
                                           .range = positive(),
                                           .stan_name = "stepsize__"};
inline constexpr FieldSpec kLeapfrogColumn{
    .name = "num_leapfrog",
    .help = "gradients of the trajectory: one a leapfrog step, more a step of others",
    .range = at_least(0),
    .stan_name = "n_leapfrog__",
    .arviz_name = "n_steps"};
inline constexpr FieldSpec kDivergentColumn{
    .name = "divergent",
    .help = "1 if the energy error exceeded 1000 or a step failed",
    .stan_name = "divergent__",
    .arviz_name = "diverging"};
inline constexpr FieldSpec kEnergyColumn{
    .name = "energy", .help = "Hamiltonian at the draw", .stan_name = "energy__"};
inline constexpr FieldSpec kEvaluationsColumn{.name = "num_evaluations",
                                              .help = "evaluations of the log density",
                                              .range = at_least(0),
                                              .stan_name = "n_evaluations__"};

// Field of kernels that use the covariance of their warm-up.
inline constexpr FieldSpec kJitterField{.name = "jitter",
                                        .help = "multiple of the identity added to the covariance",
                                        .range = positive()};
inline constexpr FieldSpec kNumBeforeField{
    .name = "num_before",
    .help = "transitions before the first covariance is used",
    .range = at_least(2)};

}  // namespace credo::infer
