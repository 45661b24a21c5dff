// Kernels that tests compose.
#pragma once
#include "infer/compose/compose.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/mcmc/slice/slice.hpp"
#include "infer/mcmc/walk/rwm.hpp"

namespace credo::testing {

inline infer::KernelMaker walk() {
  return infer::kernel("rwm", infer::RwmOptions{.scale = 1.2, .metric = infer::MetricKind::unit});
}
inline infer::KernelMaker slice() {
  return infer::kernel("slice", infer::SliceOptions{.width = 2.0});
}
inline infer::KernelMaker nuts() {
  return infer::kernel("nuts", infer::NutsOptions{.step_size = 0.5});
}

// The first coordinate by one kernel, the others, if there are any, by another.
inline infer::KernelMaker first_and_rest(const infer::KernelMaker& first,
                                         const infer::KernelMaker& rest) {
  return [=](const infer::PartSetup& setup) {
    std::vector<Index> others(static_cast<std::size_t>(setup.dimension - 1));
    std::iota(others.begin(), others.end(), Index{1});
    std::vector<infer::KernelMaker> parts = {infer::on_coordinates({0}, first)};
    if (!others.empty()) parts.push_back(infer::on_coordinates(others, rest));
    return infer::cycle(parts)(setup);
  };
}

}  // namespace credo::testing
