// SIMD instructions of the kernels, chosen at run time.
#pragma once
#include "base/std.hpp"

namespace credo::numerics {

// From the least to the best. avx2 and avx512 give the same bits; sse4 is a second arithmetic,
// since it has no fused multiply-add.
enum class SimdTarget { sse4, avx2, avx512 };

// The target all kernels run on: the best of this CPU, unless the environment variable CREDO_SIMD
// or force_target says otherwise. A program calls it once at its start: that reads the variable,
// and kernels exported with HWY_EXPORT follow from then on. Throws Error (usage) if CREDO_SIMD is
// set to something else than sse4, avx2 or avx512, or to a target this CPU lacks.
SimdTarget active_target();

// Runs all kernels on `target` from now on, may be called again; not while kernels run in other
// threads. Throws Error (usage) if this CPU lacks it.
void force_target(SimdTarget target);

std::string_view target_name(SimdTarget target);     // "sse4", "avx2" or "avx512"
SimdTarget parse_target(std::string_view name);      // the inverse; throws Error (usage)
const std::vector<SimdTarget>& supported_targets();  // ascending, never empty
// "fma" or "sse4": draws can be reproduced within one arithmetic, and run files record it.
std::string_view arithmetic_name(SimdTarget target);

}  // namespace credo::numerics
