// Checks: a lane whose operand breaks the rule gets the check's number and the first offending
// value, unless an earlier check has failed already. NaN breaks every rule.
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/ops/check.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "graph/core/ops.hpp"
#include "graph/ops/map-inl.hpp"

namespace credo::graph {
void fail_check(LaneStatus& status, const Attributes& attributes, Index element, double value);
}

HWY_BEFORE_NAMESPACE();
namespace credo::graph::HWY_NAMESPACE {
namespace {

// True if `total` doubles keep the rule, judged a vector at a time; reads whole vectors.
struct Judged {
  const double *x, *bound;
  bool repeated;  // the bound is one group
  Index total;
};
template <class Holds>
HWY_INLINE bool all_hold(const Judged& c, Holds holds) {
  const Tag d;
  const Index width = static_cast<Index>(hn::Lanes(d)), wrap = c.repeated ? kGroup - 1 : ~Index{0};
  const auto kept = [&](Index i) HWY_ATTR {
    return holds(d, hn::LoadU(d, c.x + i), hn::LoadU(d, c.bound + (i & wrap)));
  };
  auto broken = hn::FirstN(d, 0);
  Index i = 0;
  for (; i + width <= c.total; i += width) broken = hn::Or(broken, hn::Not(kept(i)));
  if (i < c.total)
    broken = hn::Or(broken, hn::AndNot(kept(i), hn::FirstN(d, static_cast<size_t>(c.total - i))));
  return hn::AllFalse(d, broken);
}

// The usual case of a call. False also where the operands don't lie side by side; then they are
// judged one by one.
template <class Holds>
HWY_NOINLINE bool call_holds(const Call& call, Index size, Holds holds) {
  const Index total = size * call.lanes;
  const bool bounded = call.num_operands > 1;
  const auto linear = [&](Index k) { return !call.shared(k) || call.lanes == 1; };
  const bool repeated = !bounded || call.in_shape(1).is_scalar();
  if (call.in_shape(0).is_scalar() || !linear(0)) return false;
  if (!repeated && !linear(1)) return false;
  HWY_ALIGN double same[kGroup] = {};
  for (Index i = 0; bounded && repeated && i < kGroup; ++i) same[i] = call.at(1, 0, i % call.lanes);
  return all_hold({call.in(0), repeated ? same : call.in(1), repeated, total}, holds);
}

template <class VectorHolds, class Holds>
HWY_INLINE void check_kernel(const Call& call, VectorHolds vector_holds, Holds holds) {
  const bool bounded = call.num_operands > 1;
  const bool scalar_x = call.in_shape(0).is_scalar();
  const bool scalar_bound = !bounded || call.in_shape(1).is_scalar();
  const Index size = scalar_x && !scalar_bound ? call.in_shape(1).size() : call.in_shape(0).size();
  if (size * call.lanes >= 2 * kGroup && call_holds(call, size, vector_holds)) return;
  for (Index l = 0; l < call.lanes; ++l) {
    for (Index e = 0; e < size; ++e) {
      const double x = call.at(0, scalar_x ? 0 : e, l);
      const double bound = bounded ? call.at(1, scalar_bound ? 0 : e, l) : 0.0;
      if (!holds(x, bound)) fail_check(call.status[l], *call.attributes, e, x);
    }
  }
}

template <class VectorHolds, class Holds>
HWY_INLINE void check_block(const BlockCheck& c, VectorHolds vector_holds, Holds holds) {
  if (all_hold({c.x, c.bound, c.repeated, c.count * c.lanes}, vector_holds)) return;
  for (Index i = 0; i < c.count * c.lanes; ++i) {
    const double bound = c.bound[c.repeated ? i % kGroup : i];
    if (holds(c.x[i], bound)) continue;
    fail_check(c.status[i % c.lanes], *c.attributes, c.first + i / c.lanes, c.x[i]);
  }
}

// The rule for a vector and for a number.
#define CREDO_CHECK(name, vector_rule, rule)                                               \
  constexpr auto name##_vector = [](auto d, auto x, auto bound) HWY_ATTR {                 \
    (void)d, (void)bound;                                                                  \
    return vector_rule;                                                                    \
  };                                                                                       \
  constexpr auto name##_rule = [](double x, double bound) {                                \
    (void)bound;                                                                           \
    return rule;                                                                           \
  };                                                                                       \
  void name##_kernel(const Call& call) { check_kernel(call, name##_vector, name##_rule); } \
  void name##_block(const BlockCheck& c) { check_block(c, name##_vector, name##_rule); }
CREDO_CHECK(greater, hn::Gt(x, bound), x > bound)
CREDO_CHECK(greater_equal, hn::Ge(x, bound), x >= bound)
CREDO_CHECK(less, hn::Lt(x, bound), x < bound)
CREDO_CHECK(less_equal, hn::Le(x, bound), x <= bound)
CREDO_CHECK(finite, hn::IsFinite(x), std::isfinite(x))
CREDO_CHECK(not_nan, hn::Eq(x, x), !std::isnan(x))
#undef CREDO_CHECK

}  // namespace
}  // namespace credo::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::graph {
namespace {

// Attributes: ints = {check, place in the program's order}, or the places of all elements.
struct Place {
  explicit Place(const Attributes& attributes) : ints(attributes.ints) {}
  std::int32_t of(Index element) const {
    return ints.size() > 2 ? ints[static_cast<std::size_t>(element) + 1] : ints[1];
  }
  const std::vector<std::int32_t>& ints;
};
}  // namespace

// The failed check that comes first in the program, and of its elements the first.
void fail_check(LaneStatus& status, const Attributes& attributes, Index element, double value) {
  const LaneStatus failed{attributes.ints[0], Place(attributes).of(element), value, element};
  if (comes_before(failed, status)) status = failed;
}

namespace {
HWY_EXPORT(greater_kernel);
HWY_EXPORT(greater_equal_kernel);
HWY_EXPORT(less_kernel);
HWY_EXPORT(less_equal_kernel);
HWY_EXPORT(finite_kernel);
HWY_EXPORT(not_nan_kernel);
HWY_EXPORT(greater_block);
HWY_EXPORT(greater_equal_block);
HWY_EXPORT(less_block);
HWY_EXPORT(less_equal_block);
HWY_EXPORT(finite_block);
HWY_EXPORT(not_nan_block);

void always_fails_kernel(const Call& call) {
  for (Index l = 0; l < call.lanes; ++l)
    fail_check(call.status[l], *call.attributes, 0, call.attributes->reals[0]);
}

#define CREDO_CHECK_ROW(id, count)              \
  const Op id##_row{.name = "check_" #id,       \
                    .kind = OpKind::check,      \
                    .arity = count,             \
                    .kernel = CREDO_SELECT(id), \
                    .check = []() -> CheckKernel { return &HWY_DYNAMIC_DISPATCH(id##_block); }};
CREDO_CHECK_ROW(greater, 2)
CREDO_CHECK_ROW(greater_equal, 2)
CREDO_CHECK_ROW(less, 2)
CREDO_CHECK_ROW(less_equal, 2)
CREDO_CHECK_ROW(finite, 1)
CREDO_CHECK_ROW(not_nan, 1)
#undef CREDO_CHECK_ROW
const Op always_fails_row{
    .name = "always_fails", .kind = OpKind::check, .arity = 0, .kernel = []() -> Kernel {
      return always_fails_kernel;
    }};

// While a program is traced, the number of nodes gives the order.
std::int32_t order_in(const Graph& graph) { return static_cast<std::int32_t>(graph.num_nodes()); }

// Constants are judged now, with the row's own kernel; anything else becomes a node.
std::optional<double> add_check(const Op& op, std::span<const Expr> in, std::int32_t check) {
  const auto symbolic =
      std::find_if(in.begin(), in.end(), [](const Expr& x) { return !x.is_constant(); });
  if (symbolic != in.end()) {
    apply(op, in, {{check, order_in(*symbolic->graph())}, {}});
    return std::nullopt;
  }
  std::array<OperandSlot, 2> slots;
  for (std::size_t k = 0; k < in.size(); ++k) slots[k] = {in[k].values().data(), 0, in[k].shape()};
  LaneStatus status;
  const Attributes attributes{{1, 0}, {}};
  op.kernel()({.operands = slots.data(),
               .num_operands = ssize(in),
               .status = &status,
               .attributes = &attributes});
  if (status.check == 0) return std::nullopt;
  return status.value;
}
}  // namespace

std::optional<double> check_greater(const Expr& x, const Expr& bound, std::int32_t check) {
  return add_check(greater_row, std::array{x, bound}, check);
}
std::optional<double> check_greater_equal(const Expr& x, const Expr& bound, std::int32_t check) {
  return add_check(greater_equal_row, std::array{x, bound}, check);
}
std::optional<double> check_less(const Expr& x, const Expr& bound, std::int32_t check) {
  return add_check(less_row, std::array{x, bound}, check);
}
std::optional<double> check_less_equal(const Expr& x, const Expr& bound, std::int32_t check) {
  return add_check(less_equal_row, std::array{x, bound}, check);
}
std::optional<double> check_finite(const Expr& x, std::int32_t check) {
  return add_check(finite_row, std::array{x}, check);
}
std::optional<double> check_not_nan(const Expr& x, std::int32_t check) {
  return add_check(not_nan_row, std::array{x}, check);
}
void always_fails(Graph& graph, std::int32_t check, double value) {
  graph.add(always_fails_row, Shape{0, 1, 1}, {},
            graph.add_attributes({{check, order_in(graph)}, {value}}));
}

std::span<const Op* const> ops::check_rows() {
  static const std::array<const Op*, 7> rows{&always_fails_row,  &finite_row, &greater_row,
                                             &greater_equal_row, &less_row,   &less_equal_row,
                                             &not_nan_row};
  return rows;
}

}  // namespace credo::graph
#endif
