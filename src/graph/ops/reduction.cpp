// Reductions: sum, dot, sum of log1p_exp, log_sum_exp, product, and the running sum.
//
// How sums are ordered is in graph/ops/reduce-inl.hpp.
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/ops/reduction.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "graph/core/ops.hpp"
#include "graph/ops/log1p_exp_sum-inl.hpp"
#include "graph/ops/reduce-inl.hpp"
#include "numerics/simd/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {
namespace {  // kernels of other files may have the same names

// Readers see the operands' size, not the result's.
Call over_elements(const Call& call, Shape shape) {
  Call wide = call;
  wide.shape = shape;
  return wide;
}

void sum_kernel(const Call& call) {
  const Call wide = over_elements(call, call.in_shape(0));
  BlockReader a(wide, 0), same(wide, 0);
  reduce(
      wide.shape.size(), call.lanes, call.out,
      [](auto, auto x, auto, auto total) HWY_ATTR { return hn::Add(total, x); }, a, same);
}

void dot_kernel(const Call& call) {
  const bool first_is_scalar = call.in_shape(0).is_scalar();
  const Call wide = over_elements(call, call.in_shape(first_is_scalar ? 1 : 0));
  BlockReader a(wide, 0), b(wide, 1);
  dot_blocks(wide.shape.size(), call.lanes, call.out, a, b);
}

void sum_log1p_exp_kernel(const Call& call) {
  const Call wide = over_elements(call, call.in_shape(0));
  BlockReader x(wide, 0);
  const Index lanes = call.lanes, size = wide.shape.size();
  Partials partials(lanes);
  HWY_ALIGN double values[2 * kPartials * kMaxLanes];
  const Log1pExpSums sums{values, kPartials * lanes};
  std::fill_n(call.out, lanes, 0.0);
  for (Index block = 0; block < size; block += kSumBlock) {
    const Index end = std::min(size, block + kSumBlock) * lanes;
    sums.clear();
    for (Index begin = block * lanes; begin < end; begin += kBlock) {
      const Index count = std::min(kBlock, end - begin);
      sums.add(x.block(begin, count), count);
    }
    sums.take_logarithms();
    std::copy_n(values, kPartials * lanes, partials.values);
    for (Index l = 0; l < lanes; ++l) call.out[l] += partials.joined(l);
  }
}

// Each row of a matrix and one vector, with the bits of dot: partial sum j mod 8 takes element j.
struct RowDots {
  const double* x;  // start of the first row
  const double* b;
  Index rows, size;

  // `load(k)`: element k of x, `weight(k)` of b.
  template <class D, class Load, class Weight>
  HWY_INLINE hn::Vec<D> sum(D d, Load load, Weight weight) const {
    auto total = hn::Zero(d);
    for (Index block = 0; block < size; block += kSumBlock) {
      constexpr Index kWidth = static_cast<Index>(hn::MaxLanes(D()));
      HWY_ALIGN double p[kPartials * kWidth] = {};
      const auto at = [&](Index k) HWY_ATTR { return p + k * kWidth; };
      for (Index k = block; k < std::min(size, block + kSumBlock); ++k) {
        double* partial = at(k % kPartials);
        hn::Store(hn::MulAdd(load(k), weight(k), hn::Load(d, partial)), d, partial);
      }
      const auto part = [&](Index k) HWY_ATTR { return hn::Load(d, at(k)); };
      const auto even = hn::Add(hn::Add(part(0), part(4)), hn::Add(part(2), part(6)));
      const auto odd = hn::Add(hn::Add(part(1), part(5)), hn::Add(part(3), part(7)));
      total = hn::Add(total, hn::Add(even, odd));
    }
    return total;
  }
};

// One lane: rows side by side.
void row_dots_of_one_lane(const RowDots& all, double* out) {
  const Tag d;
  const Index width = static_cast<Index>(hn::Lanes(d));
  const auto weight = [&](Index k) HWY_ATTR { return hn::Set(d, all.b[k]); };
  Index i = 0;
  for (; i + width <= all.rows; i += width) {
    const auto load = [&](Index k) HWY_ATTR { return hn::LoadU(d, all.x + k * all.rows + i); };
    hn::StoreU(all.sum(d, load, weight), d, out + i);
  }
  const hn::CappedTag<double, 1> one;
  const auto single = [&](Index k) HWY_ATTR { return hn::Set(one, all.b[k]); };
  for (; i < all.rows; ++i) {
    const auto load = [&](Index k) HWY_ATTR { return hn::Set(one, all.x[k * all.rows + i]); };
    hn::StoreU(all.sum(one, load, single), one, out + i);
  }
}

// Lanes side by side.
template <int kLanes>
void row_dots_of_lanes(const Call& call, const RowDots& all) {
  const hn::CappedTag<double, kLanes> d;
  const bool shared_x = call.shared(0), shared_b = call.shared(1);
  for (Index l = 0; l < kLanes; l += static_cast<Index>(hn::Lanes(d))) {
    const auto weight = [&](Index k) HWY_ATTR {
      return shared_b ? hn::Set(d, all.b[k]) : hn::LoadU(d, all.b + k * kLanes + l);
    };
    for (Index i = 0; i < all.rows; ++i) {
      const auto load = [&](Index k) HWY_ATTR {
        const Index place = k * all.rows + i;
        return shared_x ? hn::Set(d, all.x[place]) : hn::LoadU(d, all.x + place * kLanes + l);
      };
      hn::StoreU(all.sum(d, load, weight), d, call.out + i * kLanes + l);
    }
  }
}

void row_dots_kernel(const Call& call) {
  const RowDots all{call.in(0), call.in(1), call.shape.size(), call.attributes->ints[1]};
  if (call.lanes == 1) return row_dots_of_one_lane(all, call.out);
  if (call.lanes == 2) return row_dots_of_lanes<2>(call, all);
  if (call.lanes == 4) return row_dots_of_lanes<4>(call, all);
  row_dots_of_lanes<8>(call, all);
}

double lane_max(const Call& call, Index lane) {
  double largest = -kInfinity;
  for (Index e = 0; e < call.in_shape(0).size(); ++e) {
    const double x = call.at(0, e, lane);
    if (x > largest || std::isnan(x)) largest = x;
    if (std::isnan(x)) break;
  }
  return largest;
}

// log sum exp(x) = m + log sum exp(x - m); m + log(1) = m exactly when the others vanish.
void log_sum_exp_kernel(const Call& call) {
  const Call wide = over_elements(call, call.in_shape(0));
  HWY_ALIGN double largest[kMaxLanes];
  HWY_ALIGN double shift[kPartials * kMaxLanes];
  for (Index l = 0; l < call.lanes; ++l) largest[l] = lane_max(call, l);
  for (Index i = 0; i < kPartials * call.lanes; ++i) {
    const double m = largest[i % call.lanes];
    shift[i] = std::isfinite(m) ? m : 0.0;  // -inf - -inf would be NaN
  }
  const Tag d;
  const Index width = static_cast<Index>(hn::Lanes(d)), group = kPartials * call.lanes;
  const Index total = wide.shape.size() * call.lanes;
  Partials partials(call.lanes);
  for (Index begin = 0; begin < total; begin += group) {
    HWY_ALIGN double x[kPartials * kMaxLanes];
    for (Index i = 0; i < group; ++i) {
      x[i] = begin + i < total ? call.at(0, (begin + i) / call.lanes, i % call.lanes) : -kInfinity;
    }
    for (Index k = 0; k < group; k += width) {
      const auto term =
          numerics::HWY_NAMESPACE::Exp(d, hn::Sub(hn::LoadU(d, x + k), hn::LoadU(d, shift + k)));
      hn::StoreU(hn::Add(hn::LoadU(d, partials.values + k), term), d, partials.values + k);
    }
  }
  HWY_ALIGN double sums[HWY_MAX_BYTES / sizeof(double) > kMaxLanes ? HWY_MAX_BYTES / sizeof(double)
                                                                   : kMaxLanes] = {};
  for (Index l = 0; l < call.lanes; ++l) sums[l] = partials.joined(l);
  for (Index l = 0; l < call.lanes; l += width) {
    hn::StoreU(numerics::HWY_NAMESPACE::Log(d, hn::LoadU(d, sums + l)), d, sums + l);
  }
  for (Index l = 0; l < call.lanes; ++l) {
    call.out[l] = std::isfinite(largest[l]) ? largest[l] + sums[l] : largest[l];
  }
}

// log_sum_exp of few elements, each a vector of lanes: partial sum i is element i's term.
template <int kLanes>
void small_log_sum_exp(double* base, const Micro& m, const Machine&) {
  namespace nm = numerics::HWY_NAMESPACE;
  const hn::CappedTag<double, kLanes> d;
  constexpr Index kWidth = static_cast<Index>(hn::MaxLanes(hn::CappedTag<double, kLanes>()));
  for (Index l = 0; l < kLanes; l += kWidth) {
    const double* in = base + m.a + l;
    auto largest = hn::Set(d, -kInfinity);
    for (std::uint32_t i = 0; i < m.c; ++i) {
      const auto x = hn::LoadU(d, in + i * kLanes);
      const auto better = hn::Or(hn::Gt(x, largest), hn::AndNot(hn::IsNaN(largest), hn::IsNaN(x)));
      largest = hn::IfThenElse(better, x, largest);
    }
    const auto finite = hn::IsFinite(largest);
    const auto shift = hn::IfThenElseZero(finite, largest);
    HWY_ALIGN double terms[kPartials][static_cast<std::size_t>(kWidth)];
    for (std::uint32_t i = 0; i < kPartials; ++i) {
      const auto term =
          i < m.c ? nm::Exp(d, hn::Sub(hn::LoadU(d, in + i * kLanes), shift)) : hn::Zero(d);
      hn::StoreU(term, d, terms[i]);
    }
    const auto p = [&](std::size_t k) HWY_ATTR { return hn::LoadU(d, terms[k]); };
    const auto even = hn::Add(hn::Add(p(0), p(4)), hn::Add(p(2), p(6)));
    const auto odd = hn::Add(hn::Add(p(1), p(5)), hn::Add(p(3), p(7)));
    const auto total = hn::Add(largest, nm::Log(d, hn::Add(even, odd)));
    hn::StoreU(hn::IfThenElse(finite, total, largest), d, base + m.out + l);
  }
}
const std::array<MicroFn, 4>* small_log_sum_exp_table() {
  static constexpr std::array<MicroFn, 4> table{&small_log_sum_exp<1>, &small_log_sum_exp<2>,
                                                &small_log_sum_exp<4>, &small_log_sum_exp<8>};
  return &table;
}

void cumulative_sum_kernel(const Call& call) {
  for (Index l = 0; l < call.lanes; ++l) {
    double total = 0.0;
    for (Index e = 0; e < call.shape.size(); ++e) {
      total = e == 0 ? call.at(0, e, l) : total + call.at(0, e, l);
      call.out[e * call.lanes + l] = total;
    }
  }
}

void prod_kernel(const Call& call) {
  for (Index l = 0; l < call.lanes; ++l) {
    double product = 1.0;
    for (Index e = 0; e < call.in_shape(0).size(); ++e) product *= call.at(0, e, l);
    call.out[l] = product;
  }
}

// The product of all elements but one, for each; no division, so zeros are fine.
void prod_others_kernel(const Call& call) {
  const Index size = call.shape.size(), lanes = call.lanes;
  for (Index l = 0; l < lanes; ++l) {
    double before = 1.0, after = 1.0;
    for (Index e = 0; e < size; ++e) {
      call.out[e * lanes + l] = before;
      before *= call.at(0, e, l);
    }
    for (Index e = size - 1; e >= 0; --e) {
      call.out[e * lanes + l] *= after;
      after *= call.at(0, e, l);
    }
  }
}

template <class Better>
HWY_INLINE void extreme_kernel(const Call& call, double empty, Better better) {
  for (Index l = 0; l < call.lanes; ++l) {
    double best = empty;
    for (Index e = 0; e < call.in_shape(0).size(); ++e) {
      const double x = call.at(0, e, l);
      if (better(x, best) || std::isnan(x)) best = x;
      if (std::isnan(x)) break;
    }
    call.out[l] = best;
  }
}
void max_element_kernel(const Call& call) {
  extreme_kernel(call, -kInfinity, [](double a, double b) { return a > b; });
}
void min_element_kernel(const Call& call) {
  extreme_kernel(call, kInfinity, [](double a, double b) { return a < b; });
}

// 1 at the first element that equals the extreme, else 0.
void first_equal_kernel(const Call& call) {
  const Index lanes = call.lanes;
  for (Index l = 0; l < lanes; ++l) {
    bool found = false;
    for (Index e = 0; e < call.shape.size(); ++e) {
      const bool here = !found && call.at(0, e, l) == call.at(1, 0, l);
      call.out[e * lanes + l] = here ? 1.0 : 0.0;
      found = found || here;
    }
  }
}

}  // namespace
}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::graph {
namespace {
HWY_EXPORT(sum_kernel);
HWY_EXPORT(dot_kernel);
HWY_EXPORT(sum_log1p_exp_kernel);
HWY_EXPORT(row_dots_kernel);
HWY_EXPORT(log_sum_exp_kernel);
HWY_EXPORT(small_log_sum_exp_table);
HWY_EXPORT(cumulative_sum_kernel);
HWY_EXPORT(prod_kernel);
HWY_EXPORT(prod_others_kernel);
HWY_EXPORT(max_element_kernel);
HWY_EXPORT(min_element_kernel);
HWY_EXPORT(first_equal_kernel);

Shape scalar_shape(Shapes, const Attributes&) { return {}; }
Shape same_shape(Shapes in, const Attributes&) { return in[0]; }

Expr reversed(const Expr& x) {
  std::vector<std::int32_t> index(static_cast<std::size_t>(x.size()));
  for (Index i = 0; i < x.size(); ++i)
    index[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(x.size() - 1 - i);
  return gather(x.shape(), x, std::move(index));
}

extern const Op log_sum_exp_row, cumulative_sum_row, prod_row, prod_others_row, max_element_row,
    min_element_row, first_equal_row;

// exp(x - total) where x > -infinity, else 0: no NaN where everything is -infinity, also when
// differentiated again.
Expr softmax_weight(const Expr& x, const Expr& total) {
  const Expr there = less(-kInfinity, x);
  return there * exp(select(there, x - select(less(-kInfinity, total), total, 0.0), 0.0));
}

std::vector<Expr> extreme_rule(const RuleArgs& r) {
  return {r.grad * apply(first_equal_row, {r.in[0], r.out})};
}

// d prod_others(x)[i] / d x[j] is the product without i and j: second order in general, as sums
// over pairs.
std::vector<Expr> prod_others_rule(const RuleArgs& r) {
  const Expr& x = r.in[0];
  std::vector<Expr> adjoint;
  for (Index j = 0; j < x.size(); ++j) {
    std::vector<Expr> others, weights;
    for (Index i = 0; i < x.size(); ++i) {
      if (i == j) continue;
      others.push_back(x.element(i));
      weights.push_back(r.grad.element(i));
    }
    if (others.empty()) {
      adjoint.emplace_back(0.0);
      continue;
    }
    const Shape shape = vector_shape(ssize(others));
    adjoint.push_back(dot(pack(shape, weights), apply(prod_others_row, {pack(shape, others)})));
  }
  return {pack(x.shape(), adjoint)};
}

const Op log_sum_exp_row{.name = "log_sum_exp_all",
                         .kind = OpKind::general,
                         .rule =
                             [](const RuleArgs& r) {
                               return std::vector<Expr>{r.grad * softmax_weight(r.in[0], r.out)};
                             },
                         .kernel = CREDO_SELECT(log_sum_exp),
                         .shape = scalar_shape,
                         .small = []() -> const std::array<MicroFn, 4>* {
                           return HWY_DYNAMIC_DISPATCH(small_log_sum_exp_table)();
                         }};
const Op cumulative_sum_row{
    .name = "cumulative_sum",
    .kind = OpKind::general,
    .rule =
        [](const RuleArgs& r) {
          return std::vector<Expr>{reversed(cumulative_sum(reversed(r.grad)))};
        },
    .kernel = CREDO_SELECT(cumulative_sum),
    .shape = same_shape};
const Op prod_row{.name = "prod",
                  .kind = OpKind::general,
                  .rule =
                      [](const RuleArgs& r) {
                        return std::vector<Expr>{r.grad * apply(prod_others_row, {r.in[0]})};
                      },
                  .kernel = CREDO_SELECT(prod),
                  .shape = scalar_shape};
const Op prod_others_row{.name = "prod_others",
                         .kind = OpKind::general,
                         .rule = prod_others_rule,
                         .kernel = CREDO_SELECT(prod_others),
                         .shape = same_shape};
const Op max_element_row{.name = "max_element",
                         .kind = OpKind::general,
                         .rule = extreme_rule,
                         .kernel = CREDO_SELECT(max_element),
                         .shape = scalar_shape};
const Op min_element_row{.name = "min_element",
                         .kind = OpKind::general,
                         .rule = extreme_rule,
                         .kernel = CREDO_SELECT(min_element),
                         .shape = scalar_shape};
// Attributes: rows and columns of x.
std::vector<Expr> row_dots_rule(const RuleArgs& r) {
  const Index rows = r.attributes->ints[0], cols = r.attributes->ints[1];
  const Expr x = r.in[0].reshaped(matrix_shape(rows, cols));
  const Expr b = r.in[1].reshaped(matrix_shape(cols, 1));
  const Expr grad = r.grad.reshaped(matrix_shape(rows, 1));
  return {matmul(grad, b, false, true), matmul(x, grad, true)};
}
const Op row_dots_row{.name = "row_dots",
                      .kind = OpKind::general,
                      .arity = 2,
                      .rule = row_dots_rule,
                      .kernel = CREDO_SELECT(row_dots),
                      .shape = [](Shapes, const Attributes& a) { return vector_shape(a.ints[0]); }};

const Op first_equal_row{
    .name = "first_equal",
    .kind = OpKind::general,
    .arity = 2,
    .rule = [](const RuleArgs&) { return std::vector<Expr>(2); },  // piecewise constant
    .kernel = CREDO_SELECT(first_equal),
    .shape = same_shape};
}  // namespace

const Op ops::sum{.name = "sum",
                  .kind = OpKind::general,
                  .rule =
                      [](const RuleArgs& r) {
                        return std::vector<Expr>{credo::graph::broadcast(r.in[0].shape(), r.grad)};
                      },
                  .kernel = CREDO_SELECT(sum),
                  .shape = scalar_shape};
const Op ops::dot{.name = "dot",
                  .kind = OpKind::general,
                  .arity = 2,
                  .rule =
                      [](const RuleArgs& r) {
                        // a scalar operand is a repeated one
                        const auto side = [&](const Expr& mine, const Expr& other) {
                          if (mine.is_scalar() && !other.is_scalar())
                            return r.grad * credo::graph::sum(other);
                          return r.grad * other;
                        };
                        return std::vector<Expr>{side(r.in[0], r.in[1]), side(r.in[1], r.in[0])};
                      },
                  .kernel = CREDO_SELECT(dot),
                  .shape = scalar_shape};

// Result of `logarithms` on sum(log1p_exp(x)): for values, because derivatives need each element's
// exponential again.
const Op ops::sum_log1p_exp{
    .name = "sum_log1p_exp",
    .kind = OpKind::general,
    .rule = [](const RuleArgs& r) { return std::vector<Expr>{r.grad * inv_logit(r.in[0])}; },
    .kernel = CREDO_SELECT(sum_log1p_exp),
    .shape = scalar_shape};

Expr sum(const Expr& x) { return x.is_scalar() ? x : apply(ops::sum, {x}); }
Expr dot(const Expr& a, const Expr& b) { return apply(ops::dot, {a, b}); }
Expr row_dots(const Expr& x, const Expr& b) {
  return apply(row_dots_row, {x, b}, {.ints = {x.shape().rows, x.shape().cols}, .reals = {}});
}
Expr log_sum_exp(const Expr& x) { return apply(log_sum_exp_row, {x}); }
Expr cumulative_sum(const Expr& x) { return apply(cumulative_sum_row, {x}); }
Expr prod(const Expr& x) { return apply(prod_row, {x}); }
Expr max_element(const Expr& x) { return apply(max_element_row, {x}); }
Expr min_element(const Expr& x) { return apply(min_element_row, {x}); }

std::span<const Op* const> ops::reduction_rows() {
  static const std::array<const Op*, 11> rows{
      &row_dots_row,    &cumulative_sum_row, &dot,      &first_equal_row, &log_sum_exp_row,
      &max_element_row, &min_element_row,    &prod_row, &prod_others_row, &sum,
      &sum_log1p_exp};
  return rows;
}

}  // namespace credo::graph
#endif
