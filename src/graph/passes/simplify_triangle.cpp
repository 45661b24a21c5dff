#include "graph/passes/simplify_triangle.hpp"

namespace credo::graph {

Expr triangle_norm(Builder& builder, std::vector<Expr> scalars, std::span<const double> triangle) {
  const std::size_t k = scalars.size();
  const double rest = triangle[k + k * (k + 1)] * triangle[k + k * (k + 1)];
  if (k == 0) return rest;
  std::vector<double> r, c;
  for (std::size_t j = 0; j < k; ++j) {
    const auto begin = triangle.begin() + static_cast<std::ptrdiff_t>(j * (k + 1));
    r.insert(r.end(), begin, begin + static_cast<std::ptrdiff_t>(k));
    c.push_back(triangle[j + k * (k + 1)]);
  }
  const auto count = static_cast<std::int32_t>(k);
  const Shape shape = vector_shape(count);
  const Expr p = builder.pack(shape, std::move(scalars));
  const Expr product = k == 1 ? builder.mul(r[0], p)
                              : builder.matmul(builder.interned(constant({1, count, count}, r)), p,
                                               {count, count, 1, 0, 0});
  const Expr moved = builder.add(product, builder.interned(constant(shape, c)));
  return builder.add(builder.sum(builder.square(moved)), rest);
}

}  // namespace credo::graph
