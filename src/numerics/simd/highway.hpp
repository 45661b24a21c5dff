// The SIMD targets we compile: SSE4, AVX2 and AVX-512. Included before any header of the library,
// so that every file that dispatches builds the same tables.
//
// SSE4 is also the baseline: code behind a dispatch never runs on less (arithmetic.cpp refuses an
// older CPU), so no scalar fourth copy is compiled.
#pragma once
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_BASELINE_TARGETS
#define HWY_BASELINE_TARGETS HWY_SSE4
