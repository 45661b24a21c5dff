// The SIMD special functions, all of them, and those that are short combinations. Included once per
// SIMD target; the scalar forms and the errors are in numerics/special.hpp.
#if defined(CREDO_NUMERICS_SIMD_SPECIAL_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef CREDO_NUMERICS_SIMD_SPECIAL_INL_HPP_
#undef CREDO_NUMERICS_SIMD_SPECIAL_INL_HPP_
#else
#define CREDO_NUMERICS_SIMD_SPECIAL_INL_HPP_
#endif

#include "numerics/simd/highway.hpp"

#include "hwy/highway.h"
#include "numerics/simd/special_bessel-inl.hpp"
#include "numerics/simd/special_delta-inl.hpp"
#include "numerics/simd/special_gamma-inl.hpp"
#include "numerics/simd/special_normal-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// log(inv_logit(a) - inv_logit(b)), a > b: log1m_exp(b - a) - log1p_exp(-a) - log1p_exp(b), three
// terms of one sign.
template <class D>
HWY_INLINE hn::Vec<D> LogInvLogitDiff(D d, hn::Vec<D> a, hn::Vec<D> b) {
  const auto zero = hn::Zero(d), gap = hn::Sub(b, a);
  const auto softplus = [&](hn::Vec<D> v) HWY_ATTR {
    const auto hinge = hn::IfThenElse(hn::Gt(v, zero), v, zero);
    return hn::Add(hinge, Log1p(d, Exp(d, hn::Neg(hn::Abs(v)))));
  };
  const auto close = Log(d, hn::Neg(Expm1(d, gap)));
  const auto apart = Log1p(d, hn::Neg(Exp(d, gap)));
  const auto log_gap = hn::IfThenElse(hn::Gt(gap, hn::Set(d, kLogHalf)), close, apart);
  return OneNaN(d, hn::Sub(hn::Sub(log_gap, softplus(hn::Neg(a))), softplus(b)));
}

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#endif
