// Stands before src/numerics/simd/highway.hpp in instrumented programs: SSE4 alone. Each of the
// wider targets takes minutes to compile with clang++, and sizes and branches are the same in all.
#pragma once
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_BASELINE_TARGETS
#define HWY_BASELINE_TARGETS HWY_SSE4
