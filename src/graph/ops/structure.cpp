// Rows that move values: pack, gather and its adjoint scatter_add, concat, broadcast. No arithmetic
// but the additions of scatter_add, which follow element order in each chunk (graph/ops/chunks.hpp).
#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/ops/chunks.hpp"

namespace credo::graph {
namespace {

void copy_element(const Call& call, Index k, Index from, Index to) {
  double* out = call.out + to * call.lanes;
  if (call.shared(k)) {
    std::fill_n(out, call.lanes, call.in(k)[from]);
  } else {
    std::copy_n(call.in(k) + from * call.lanes, call.lanes, out);
  }
}

void pack_kernel(const Call& call) {
  for (Index i = 0; i < call.num_operands; ++i) copy_element(call, i, 0, i);
}

void gather_kernel(const Call& call) {
  const auto& index = call.attributes->ints;
  const Index size = call.shape.size();
  for (Index i = 0; i < size; ++i) copy_element(call, 0, index[static_cast<std::size_t>(i)], i);
}

// sums[index[i]] += operand[i], from zero, for one chunk of elements.
void scatter_chunk(const Call& call, Index first, Index last, double* sums) {
  const auto& index = call.attributes->ints;
  std::fill_n(sums, call.shape.size() * call.lanes, 0.0);
  for (Index i = first; i < last; ++i) {
    double* out = sums + index[static_cast<std::size_t>(i)] * call.lanes;
    for (Index l = 0; l < call.lanes; ++l) out[l] += call.at(0, i, l);
  }
}

void scatter_add_kernel(const Call& call) {
  const Index size = call.in_shape(0).size();
  const Index chunk = Index{1} << scatter_shift(size, call.shape.size());
  scatter_chunk(call, 0, std::min(chunk, size), call.out);
  for (Index first = chunk; first < size; first += chunk) {
    scatter_chunk(call, first, std::min(first + chunk, size), call.scratch);
    for (Index k = 0; k < call.shape.size() * call.lanes; ++k) call.out[k] += call.scratch[k];
  }
}

void concat_kernel(const Call& call) {
  Index to = 0;
  for (Index k = 0; k < call.num_operands; ++k) {
    for (Index e = 0; e < call.in_shape(k).size(); ++e) copy_element(call, k, e, to++);
  }
}

void broadcast_kernel(const Call& call) {
  for (Index e = 0; e < call.shape.size(); ++e) copy_element(call, 0, 0, e);
}

// The result's shape is stated in the attributes' reals, an index list in their ints.
Shape shape_from_reals(Shapes, const Attributes& attributes) {
  const auto size = [&](std::size_t k) { return static_cast<std::int32_t>(attributes.reals[k]); };
  return {size(0), size(1), size(2)};
}
Attributes with_shape(Shape shape, std::vector<std::int32_t> index = {}) {
  return {std::move(index), {double(shape.batch), double(shape.rows), double(shape.cols)}};
}

// A chunk's sums; the first one's are the result.
Index scatter_scratch(Shapes in, const Attributes& attributes) {
  const Index size = in[0].size(), targets = shape_from_reals(in, attributes).size();
  return size > Index{1} << scatter_shift(size, targets) ? targets : 0;
}

std::vector<Expr> pack_rule(const RuleArgs& r) {
  std::vector<Expr> adjoints(r.in.size());
  for (std::size_t i = 0; i < r.in.size(); ++i) adjoints[i] = r.grad.element(static_cast<Index>(i));
  return adjoints;
}

std::vector<Expr> concat_rule(const RuleArgs& r) {
  std::vector<Expr> adjoints;
  Index begin = 0;
  for (const Expr& part : r.in) {
    adjoints.push_back(slice(part.shape(), r.grad, begin));
    begin += part.size();
  }
  return adjoints;
}

}  // namespace

const Op ops::pack{.name = "pack",
                   .kind = OpKind::general,
                   .arity = -1,
                   .rule = pack_rule,
                   .kernel = []() -> Kernel { return pack_kernel; },
                   .shape = shape_from_reals};
const Op ops::gather{.name = "gather",
                     .kind = OpKind::general,
                     .rule =
                         [](const RuleArgs& r) {
                           return std::vector<Expr>{credo::graph::scatter_add(
                               r.in[0].shape(), r.grad, r.attributes->ints)};
                         },
                     .kernel = []() -> Kernel { return gather_kernel; },
                     .shape = shape_from_reals};
const Op ops::scatter_add{.name = "scatter_add",
                          .kind = OpKind::general,
                          .rule =
                              [](const RuleArgs& r) {
                                return std::vector<Expr>{credo::graph::gather(
                                    r.in[0].shape(), r.grad, r.attributes->ints)};
                              },
                          .kernel = []() -> Kernel { return scatter_add_kernel; },
                          .shape = shape_from_reals,
                          .scratch = scatter_scratch};
const Op ops::concat{.name = "concat",
                     .kind = OpKind::general,
                     .arity = -1,
                     .rule = concat_rule,
                     .kernel = []() -> Kernel { return concat_kernel; },
                     .shape = shape_from_reals};
const Op ops::broadcast{
    .name = "broadcast",
    .kind = OpKind::general,
    .rule = [](const RuleArgs& r) { return std::vector<Expr>{credo::graph::sum(r.grad)}; },
    .kernel = []() -> Kernel { return broadcast_kernel; },
    .shape = shape_from_reals};

Expr pack(Shape shape, std::span<const Expr> elements) {
  CREDO_ASSERT(shape.size() == ssize(elements), "pack fills its shape");
  if (shape.is_scalar()) return elements[0];
  return apply(ops::pack, elements, with_shape(shape));
}
Expr gather(Shape shape, const Expr& x, std::vector<std::int32_t> index) {
  CREDO_ASSERT(shape.size() == ssize(index), "gather fills its shape");
  if (shape.is_scalar()) return x.element(index[0]);
  return apply(ops::gather, {x}, with_shape(shape, std::move(index)));
}
Expr slice(Shape shape, const Expr& x, Index first) {
  std::vector<std::int32_t> index(static_cast<std::size_t>(shape.size()));
  std::iota(index.begin(), index.end(), static_cast<std::int32_t>(first));
  return gather(shape, x, std::move(index));
}
Expr scatter_add(Shape shape, const Expr& x, std::vector<std::int32_t> index) {
  CREDO_ASSERT(x.size() == ssize(index), "scatter_add has an index for every element");
  return apply(ops::scatter_add, {x}, with_shape(shape, std::move(index)));
}
Expr concat(Shape shape, std::span<const Expr> parts) {
  return apply(ops::concat, parts, with_shape(shape));
}
Expr broadcast(Shape shape, const Expr& scalar) {
  if (shape == scalar.shape()) return scalar;
  return apply(ops::broadcast, {scalar}, with_shape(shape));
}

std::span<const Op* const> ops::structure_rows() {
  static const std::array<const Op*, 5> rows{&broadcast, &concat, &gather, &pack, &scatter_add};
  return rows;
}

}  // namespace credo::graph
