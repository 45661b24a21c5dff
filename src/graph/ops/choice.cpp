// Rows that move values to and from computed places: take, and its adjoint put. The places are
// whole numbers in doubles; the additions of put follow element order.
#include "base/error.hpp"
#include "graph/core/ops.hpp"

namespace credo::graph {
namespace {

// Position to which element k of the places points in lane l; -1 if out of range.
Index place_of(const Call& call, Index k, Index l, Index size) {
  const double place = call.at(1, call.in_shape(1).is_scalar() ? 0 : k, l);
  const bool inside = place >= 0.0 && place < static_cast<double>(size);
  return inside && place == std::floor(place) ? static_cast<Index>(place) : -1;
}

void take_kernel(const Call& call) {
  const Index size = call.in_shape(0).size();
  for (Index k = 0; k < call.shape.size(); ++k) {
    for (Index l = 0; l < call.lanes; ++l) {
      const Index place = place_of(call, k, l, size);
      call.out[k * call.lanes + l] = place < 0 ? kNaN : call.at(0, place, l);
    }
  }
}

void put_kernel(const Call& call) {
  const Index size = call.shape.size();
  std::fill_n(call.out, size * call.lanes, 0.0);
  for (Index k = 0; k < call.in_shape(0).size(); ++k) {
    for (Index l = 0; l < call.lanes; ++l) {
      const Index place = place_of(call, k, l, size);
      if (place >= 0) call.out[place * call.lanes + l] += call.at(0, k, l);
    }
  }
}

Shape shape_of_places(Shapes shapes, const Attributes&) { return shapes[1]; }
Shape shape_from_attributes(Shapes, const Attributes& attributes) {
  const auto size = [&](std::size_t k) { return attributes.ints[k]; };
  return {size(0), size(1), size(2)};
}

const Op take_row{.name = "take",
                  .kind = OpKind::general,
                  .arity = 2,
                  .rule =
                      [](const RuleArgs& r) {
                        const Expr x = put(r.in[0].shape(), r.grad, r.in[1]);
                        return std::vector<Expr>{x, Expr()};
                      },
                  .kernel = []() -> Kernel { return take_kernel; },
                  .shape = shape_of_places};
const Op put_row{.name = "put",
                 .kind = OpKind::general,
                 .arity = 2,
                 .rule =
                     [](const RuleArgs& r) {
                       const Expr x = take(r.grad, r.in[1]).reshaped(r.in[0].shape());
                       return std::vector<Expr>{x, Expr()};
                     },
                 .kernel = []() -> Kernel { return put_kernel; },
                 .shape = shape_from_attributes};
}  // namespace

Expr take(const Expr& x, const Expr& place) {
  if (!place.is_constant() || x.is_constant()) return apply(take_row, {x, place});
  std::vector<std::int32_t> index;
  for (const double k : place.values()) {
    const bool inside = k >= 0.0 && k < static_cast<double>(x.size()) && k == std::floor(k);
    if (!inside) return apply(take_row, {x, place});
    index.push_back(static_cast<std::int32_t>(k));
  }
  return gather(place.shape(), x, std::move(index));
}
Expr put(Shape shape, const Expr& x, const Expr& place) {
  CREDO_ASSERT(x.size() == place.size(), "put has a place for every element");
  return apply(put_row, {x, place}, {{shape.batch, shape.rows, shape.cols}, {}});
}

std::span<const Op* const> ops::choice_rows() {
  static const std::array<const Op*, 2> rows{&take_row, &put_row};
  return rows;
}

}  // namespace credo::graph
