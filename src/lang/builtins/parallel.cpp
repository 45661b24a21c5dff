// reduce_sum and map_rect. Elsewhere they exist to spread work over threads; here an evaluation is
// split by the executor, and a value must not depend on how many threads there are. So they are
// what their definitions say: the function on the whole slice, and the jobs one after the other.
#include <fmt/format.h>

#include "lang/trace/callable.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::lang {
namespace {

// reduce_sum(f, x, grainsize, s...) = f(x, 1, n, s...): a sum over slices is, by the user's
// promise, the function of the whole.
Value reduce_sum(const BuiltinCall& c) {
  const Callable partial_sum(c, 0);
  if (c[2].integer() < 1) c.machine.reject(c.name, "grainsize", c[2].integer(), "at least 1");
  const auto n = static_cast<std::int32_t>(dims_of(c[1])[0]);
  if (n == 0) return Scalar(0.0);
  const Trailing shared(c, 3);
  const std::uint64_t own = has_autodiff(c, 1) ? typed::Autodiff::bit(0) : 0;
  return partial_sum(shared.after({c[1], 1, n}), shared.autodiff_after(3, own));
}

// Element k of the array.
Value element(const BuiltinCall& c, const Value& array, Index k) {
  const std::array place{static_cast<std::int32_t>(k)};
  return read(array, *contiguous_part(base_of(array), dims_of(array), place), c.machine.graph());
}

void check_jobs(const BuiltinCall& c, Index jobs) {
  for (const std::size_t k : {std::size_t{3}, std::size_t{4}}) {
    if (dims_of(c[k])[0] == jobs) continue;
    c.machine.fail(fmt::format("map_rect: argument {} has {} elements for {} jobs", k + 1,
                               dims_of(c[k])[0], jobs));
  }
}

// map_rect(f, phi, theta, x_r, x_i): f(phi, theta[k], x_r[k], x_i[k]) for all k, joined.
Value map_rect(const BuiltinCall& c) {
  const Callable job(c, 0);
  const Index jobs = dims_of(c[2])[0];
  check_jobs(c, jobs);
  const std::uint64_t autodiff = (has_autodiff(c, 1) ? typed::Autodiff::bit(0) : 0) |
                                 (has_autodiff(c, 2) ? typed::Autodiff::bit(1) : 0);
  std::vector<Expr> parts;
  Index size = 0;
  for (Index k = 0; k < jobs; ++k) {
    const Value result =
        job({c[1], element(c, c[2], k), element(c, c[3], k), element(c, c[4], k)}, autodiff);
    parts.push_back(c.machine.expr(result));
    size += parts.back().size();
  }
  return from_expr(graph::concat(graph::vector_shape(size), parts), BaseType::vector, {size});
}

constexpr Builtin kParallelRows[] = {
    {"map_rect", map_rect},
    {"reduce_sum", reduce_sum},
    {"reduce_sum_static", reduce_sum},
};
}  // namespace

std::span<const Builtin> builtins_parallel() { return kParallelRows; }

}  // namespace credo::lang
