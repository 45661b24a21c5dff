// Hypergeometric series of vectors of shapes and a number, and their derivatives by the shapes. By
// the argument they are series again: d/dz pFq(a; b; z) = prod a / prod b pFq(a + 1; b + 1; z).
#include "numerics/hypergeometric.hpp"
#include "graph/core/ops.hpp"
#include "graph/core/special.hpp"

namespace credo::graph {
namespace {
constexpr Index kMost = numerics::kMostHypergeometricShapes;

// The shapes of one lane.
struct Room {
  std::array<double, static_cast<std::size_t>(kMost)> upper{}, lower{};
};
numerics::HypergeometricShapes shapes_in(const Call& call, Index lane, Room& room) {
  const Index p = call.in_shape(0).size(), q = call.in_shape(1).size();
  for (Index k = 0; k < p; ++k) room.upper[static_cast<std::size_t>(k)] = call.at(0, k, lane);
  for (Index k = 0; k < q; ++k) room.lower[static_cast<std::size_t>(k)] = call.at(1, k, lane);
  return {std::span(room.upper).first(static_cast<std::size_t>(p)),
          std::span(room.lower).first(static_cast<std::size_t>(q))};
}

void hypergeometric_kernel(const Call& call) {
  Room room;
  for (Index l = 0; l < call.lanes; ++l)
    call.out[l] = numerics::hypergeometric(shapes_in(call, l, room), call.at(2, 0, l));
}
void hypergeometric_by_shapes_kernel(const Call& call) {
  Room room;
  for (Index l = 0; l < call.lanes; ++l) {
    const auto shapes = shapes_in(call, l, room);
    for (Index k = 0; k < call.shape.size(); ++k)
      call.out[k * call.lanes + l] = numerics::hypergeometric_by(shapes, call.at(2, 0, l), k);
  }
}

Shape shape_of_all(Shapes in, const Attributes&) {
  return vector_shape(in[0].size() + in[1].size());
}
const Op hypergeometric_by_shapes_row{
    .name = "hypergeometric_by_shapes",
    .kind = OpKind::general,
    .arity = 3,
    .order = 0,
    .kernel = []() -> Kernel { return hypergeometric_by_shapes_kernel; },
    .shape = shape_of_all};

std::vector<Expr> hypergeometric_rule(const RuleArgs& r) {
  const Expr &a = r.in[0], &b = r.in[1], &z = r.in[2];
  const Expr by_shapes = apply(hypergeometric_by_shapes_row, {a, b, z});
  const Expr by_z = prod(a) / prod(b) * hypergeometric(a + 1.0, b + 1.0, z);
  return {r.grad * slice(a.shape(), by_shapes, 0), r.grad * slice(b.shape(), by_shapes, a.size()),
          r.grad * by_z};
}
const Op hypergeometric_row{.name = "hypergeometric",
                            .kind = OpKind::general,
                            .arity = 3,
                            .order = 1,
                            .rule = hypergeometric_rule,
                            .kernel = []() -> Kernel { return hypergeometric_kernel; },
                            .shape = [](Shapes, const Attributes&) { return Shape{}; }};
}  // namespace

Expr hypergeometric(const Expr& a, const Expr& b, const Expr& z) {
  return apply(hypergeometric_row, {a, b, z});
}

std::span<const Op* const> ops::hypergeometric_rows() {
  static const std::array<const Op*, 2> rows{&hypergeometric_by_shapes_row, &hypergeometric_row};
  return rows;
}

}  // namespace credo::graph
