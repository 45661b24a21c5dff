// The order of a container's elements.
#include "graph/core/ops.hpp"

namespace credo::graph {
namespace {

// Each lane by itself, in the scratch memory: places as doubles.
void order_places_kernel(const Call& call) {
  const Index n = call.shape.size();
  for (Index l = 0; l < call.lanes; ++l) {
    std::iota(call.scratch, call.scratch + n, 0.0);
    const auto value = [&](double place) { return call.at(0, static_cast<Index>(place), l); };
    std::sort(call.scratch, call.scratch + n, [&](double i, double j) {
      const double a = value(i), b = value(j);
      if (a < b || b < a) return a < b;
      if (std::isnan(a) != std::isnan(b)) return std::isnan(b);
      return i < j;
    });
    for (Index k = 0; k < n; ++k) call.out[k * call.lanes + l] = call.scratch[k];
  }
}

const Op order_places_row{
    .name = "order_places",
    .kind = OpKind::general,
    .arity = 1,
    .rule = [](const RuleArgs&) -> std::vector<Expr> { return {Expr()}; },
    .kernel = []() -> Kernel { return order_places_kernel; },
    .shape = [](Shapes in, const Attributes&) { return vector_shape(in[0].size()); },
    .scratch = [](Shapes in, const Attributes&) { return in[0].size(); }};
}  // namespace

Expr order_places(const Expr& x) { return apply(order_places_row, {x}); }

std::span<const Op* const> ops::order_rows() {
  static const std::array<const Op*, 1> rows{&order_places_row};
  return rows;
}

}  // namespace credo::graph
