// The special functions compiled for every SIMD target, and the choice among them at run time.
#include "numerics/special.hpp"

#include "numerics/special_kernels.hpp"

#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/special.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "numerics/simd/special-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;

inline constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag()));

// The last, incomplete vector: its missing lanes repeat the first number and are dropped.
struct Tail {
  HWY_ALIGN double lanes[kLanes];
  Tail(const double* x, Index count) {
    for (Index i = 0; i < kLanes; ++i) lanes[i] = x[i < count ? i : 0];
  }
};

template <auto kFunction>
void Map(const double* x, double* out, Index count) {
  const Tag d;
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(kFunction(d, hn::LoadU(d, x + i)), d, out + i);
  }
  if (i == count) return;
  Tail rest(x + i, count - i);
  hn::Store(kFunction(d, hn::Load(d, rest.lanes)), d, rest.lanes);
  std::copy_n(rest.lanes, count - i, out + i);
}

template <auto kFunction>
void MapPairs(const double* x, const double* y, double* out, Index count) {
  const Tag d;
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(kFunction(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, out + i);
  }
  if (i == count) return;
  Tail rest(x + i, count - i);
  const Tail other(y + i, count - i);
  hn::Store(kFunction(d, hn::Load(d, rest.lanes), hn::Load(d, other.lanes)), d, rest.lanes);
  std::copy_n(rest.lanes, count - i, out + i);
}

constexpr SpecialKernels kTable = {
    .lgamma = Map<Lgamma<Tag>>,
    .lgamma1p = Map<Lgamma1p<Tag>>,
    .digamma = Map<Digamma<Tag>>,
    .trigamma = Map<Trigamma<Tag>>,
    .tetragamma = Map<Tetragamma<Tag>>,
    .pentagamma = Map<Pentagamma<Tag>>,
    .digamma_less_log = Map<DigammaLessLog<Tag>>,
    .erf = Map<Erf<Tag>>,
    .erfc = Map<Erfc<Tag>>,
    .erfcx = Map<Erfcx<Tag>>,
    .phi = Map<Phi<Tag>>,
    .log_phi = Map<LogPhi<Tag>>,
    .inverse_mills = Map<InverseMills<Tag>>,
    .inv_phi = Map<InvPhi<Tag>>,
    .inv_phi_log = Map<InvPhiLog<Tag>>,
    .log_bessel_i0 = Map<LogBesselI0<Tag>>,
    .bessel_ratio = Map<BesselRatio<Tag>>,
    .bessel_ratio_1 = Map<BesselRatio1<Tag>>,
    .bessel_ratio_2 = Map<BesselRatio2<Tag>>,
    .log1pmx = Map<Log1pmx<Tag>>,
    .entropy_excess = Map<EntropyExcess<Tag>>,
    .lgamma_excess = MapPairs<LgammaExcess<Tag>>,
    .digamma_excess = MapPairs<DigammaExcess<Tag>>,
    .trigamma_excess = MapPairs<TrigammaExcess<Tag>>,
    .lgamma_delta = MapPairs<LgammaDelta<Tag>>,
    .digamma_delta = MapPairs<DigammaDelta<Tag>>,
    .trigamma_delta = MapPairs<TrigammaDelta<Tag>>,
    .lbeta = MapPairs<Lbeta<Tag>>,
    .lchoose = MapPairs<Lchoose<Tag>>,
    .log_inv_logit_diff = MapPairs<LogInvLogitDiff<Tag>>,
};

const SpecialKernels* Kernels() { return &kTable; }

}  // namespace HWY_NAMESPACE
}  // namespace credo::numerics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
HWY_EXPORT(Kernels);

double one(UnaryKernel SpecialKernels::*row, double x) {
  double result;
  (special_kernels().*row)(&x, &result, 1);
  return result;
}

double one(BinaryKernel SpecialKernels::*row, double x, double y) {
  double result;
  (special_kernels().*row)(&x, &y, &result, 1);
  return result;
}
}  // namespace

const SpecialKernels& special_kernels() { return *HWY_DYNAMIC_DISPATCH(Kernels)(); }

double lgamma(double x) { return one(&SpecialKernels::lgamma, x); }
double lgamma1p(double t) { return one(&SpecialKernels::lgamma1p, t); }
double digamma(double x) { return one(&SpecialKernels::digamma, x); }
double trigamma(double x) { return one(&SpecialKernels::trigamma, x); }
double tetragamma(double x) { return one(&SpecialKernels::tetragamma, x); }
double pentagamma(double x) { return one(&SpecialKernels::pentagamma, x); }
double digamma_less_log(double x) { return one(&SpecialKernels::digamma_less_log, x); }

double lgamma_stirling(double x) {
  const double square = 1 / (x * x);
  double series = 0;
  for (size_t k = std::size(tables::kStirling); k-- > 0;) {
    series = series * square + tables::kStirling[k];
  }
  return series / x;
}

double lgamma_excess(double x, double n) { return one(&SpecialKernels::lgamma_excess, x, n); }
double digamma_excess(double x, double n) { return one(&SpecialKernels::digamma_excess, x, n); }
double trigamma_excess(double x, double n) { return one(&SpecialKernels::trigamma_excess, x, n); }
double lgamma_delta(double x, double n) { return one(&SpecialKernels::lgamma_delta, x, n); }
double digamma_delta(double x, double n) { return one(&SpecialKernels::digamma_delta, x, n); }
double trigamma_delta(double x, double n) { return one(&SpecialKernels::trigamma_delta, x, n); }

double lbeta(double a, double b) { return one(&SpecialKernels::lbeta, a, b); }
double lchoose(double n, double k) { return one(&SpecialKernels::lchoose, n, k); }
double log1pmx(double u) { return one(&SpecialKernels::log1pmx, u); }
double entropy_excess(double u) { return one(&SpecialKernels::entropy_excess, u); }

double erf(double x) { return one(&SpecialKernels::erf, x); }
double erfc(double x) { return one(&SpecialKernels::erfc, x); }
double erfcx(double x) { return one(&SpecialKernels::erfcx, x); }
double phi(double x) { return one(&SpecialKernels::phi, x); }
double log_phi(double x) { return one(&SpecialKernels::log_phi, x); }
double inverse_mills(double x) { return one(&SpecialKernels::inverse_mills, x); }
double inv_phi(double p) { return one(&SpecialKernels::inv_phi, p); }
double inv_phi_log(double log_p) { return one(&SpecialKernels::inv_phi_log, log_p); }

double log_bessel_i0(double x) { return one(&SpecialKernels::log_bessel_i0, x); }
double bessel_ratio(double x) { return one(&SpecialKernels::bessel_ratio, x); }
double bessel_ratio_1(double x) { return one(&SpecialKernels::bessel_ratio_1, x); }
double bessel_ratio_2(double x) { return one(&SpecialKernels::bessel_ratio_2, x); }

double log_inv_logit_diff(double a, double b) {
  return one(&SpecialKernels::log_inv_logit_diff, a, b);
}

}  // namespace credo::numerics
#endif  // HWY_ONCE
