#include "numerics/ode/stage_sums.hpp"

#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/ode/stage_sums.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Products and sums are rounded one by one, on every target.
void sum_kernel(const StageSum& s) {
  const hn::CappedTag<double, kLaneGroup> d;
  const auto n = static_cast<Index>(hn::Lanes(d));
  std::array<const double*, 8> stages;
  std::array<double, 8> weights;
  std::size_t count = 0;
  for (std::size_t k = 0; k < s.stages.size(); ++k) {
    if (s.weights[k] == 0.0) continue;
    stages[count] = s.stages[k], weights[count] = s.weights[k], ++count;
  }
  for (Index i = 0; i < s.size; i += n) {
    auto total = hn::Zero(d);
    for (std::size_t k = 0; k < count; ++k)
      total = hn::Add(total, hn::Mul(hn::Set(d, weights[k]), hn::LoadU(d, stages[k] + i)));
    total = hn::Mul(total, hn::LoadU(d, s.steps + i % kLaneGroup));
    if (s.start != nullptr) total = hn::Add(hn::LoadU(d, s.start + i), total);
    hn::StoreU(total, d, s.out + i);
  }
}

void errors_kernel(const StepErrors& e) {
  const hn::CappedTag<double, kLaneGroup> d;
  const auto n = static_cast<Index>(hn::Lanes(d));
  const auto absolute = hn::Set(d, e.absolute), relative = hn::Set(d, e.relative);
  std::fill_n(e.worst, kLaneGroup, 0.0);
  for (Index i = 0; i < e.size; i += n) {
    const auto a = hn::Abs(hn::LoadU(d, e.a + i)), b = hn::Abs(hn::LoadU(d, e.b + i));
    const auto larger = hn::IfThenElse(hn::Lt(a, b), b, a);
    const auto scale = hn::Add(absolute, hn::Mul(relative, larger));
    const auto raw = hn::Div(hn::Abs(hn::LoadU(d, e.error + i)), scale);
    const auto error = hn::IfThenElse(hn::Eq(raw, raw), raw, hn::Set(d, kInfinity));
    double* worst = e.worst + i % kLaneGroup;
    const auto before = hn::LoadU(d, worst);
    hn::StoreU(hn::IfThenElse(hn::Lt(before, error), error, before), d, worst);
  }
}
}  // namespace
}  // namespace credo::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
HWY_EXPORT(sum_kernel);
HWY_EXPORT(errors_kernel);
}  // namespace

void sum_stages(const StageSum& sum) { HWY_DYNAMIC_DISPATCH(sum_kernel)(sum); }
void measure_step(const StepErrors& errors) { HWY_DYNAMIC_DISPATCH(errors_kernel)(errors); }

}  // namespace credo::numerics
#endif
