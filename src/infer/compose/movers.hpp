// Kernels that move the particles of a population, or the parameters of particle Gibbs: every row of the table that moves one
// point, with options of its own.
#pragma once
#include "infer/core/transition_kernel.hpp"

namespace credo::infer {

extern const RowTable kMovers;            // movers of populations: they don't warm up
extern const RowTable kMoversWithWarmup;  // the same rows

inline constexpr FieldSpec kMoverField{
    .name = "mover",
    .help =
        "sampler that moves the particles; empty: nuts, or slice "
        "without a gradient",
    .rows = &kMovers};

// Throws Error(usage) for a row that can't be a mover, with the reason, and for one that lacks the gradient it needs.
void require_mover(const ChosenRow& mover, const RowTable& table, bool has_gradient);
KernelMaker mover_kernel(const ChosenRow& mover, const RowTable& table);

}  // namespace credo::infer
