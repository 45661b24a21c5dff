// The elementary functions, once per SIMD target: template <class D> Vec<D> F(D, Vec<D>) for double
// tags of any number of lanes. A lane's value depends on its own argument and on the arithmetic
// alone: the targets with fused multiply-add give equal bits, SSE4 is a second arithmetic.
#if defined(CREDO_NUMERICS_SIMD_ELEMENTARY_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_ELEMENTARY_INL_HPP_
#undef CREDO_NUMERICS_SIMD_ELEMENTARY_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_ELEMENTARY_INL_HPP_
#endif

#include "numerics/simd/exp-inl.hpp"
#include "numerics/simd/hyperbolic-inl.hpp"
#include "numerics/simd/inverse_trig-inl.hpp"
#include "numerics/simd/log-inl.hpp"
#include "numerics/simd/pow-inl.hpp"
#include "numerics/simd/roots-inl.hpp"
#include "numerics/simd/rounding-inl.hpp"
#include "numerics/simd/trig-inl.hpp"

#endif  // per-target include guard
