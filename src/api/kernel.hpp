// Kernels and proposals of a program's own as parts of compositions (infer/compose/compose.hpp).
#pragma once
#include "credo/kernel.hpp"
#include "infer/core/transition_kernel.hpp"

namespace credo {

infer::KernelMaker own_kernel(const std::string& name, KernelMaker make);
infer::KernelMaker own_metropolis(Proposal proposal);

}  // namespace credo
