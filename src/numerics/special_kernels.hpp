// The special functions over arrays, for the SIMD target of the running machine: out[i] = f(x[i]).
// One row per function; the same code computes arrays and the scalars of special.hpp, so they agree
// bit for bit.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

using UnaryKernel = void (*)(const double* x, double* out, Index count);
using BinaryKernel = void (*)(const double* x, const double* y, double* out, Index count);

struct SpecialKernels {
  UnaryKernel lgamma, lgamma1p, digamma, trigamma, tetragamma, pentagamma, digamma_less_log;
  UnaryKernel erf, erfc, erfcx, phi, log_phi, inverse_mills, inv_phi, inv_phi_log;
  UnaryKernel log_bessel_i0, bessel_ratio, bessel_ratio_1, bessel_ratio_2;
  UnaryKernel log1pmx, entropy_excess;
  BinaryKernel lgamma_excess, digamma_excess, trigamma_excess;
  BinaryKernel lgamma_delta, digamma_delta, trigamma_delta;
  BinaryKernel lbeta, lchoose, log_inv_logit_diff;
};

// The table of the SIMD target in use; a reference to constant data.
const SpecialKernels& special_kernels();

}  // namespace credo::numerics
