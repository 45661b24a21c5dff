// Degrees in a block of inputs: never less than that of the polynomial, and equal to it for sums and products.
#include "graph/factors/degree.hpp"

#include "graph/simplify_support.hpp"

namespace credo::graph::degree_test {
namespace {

struct Case {
  const char* name;
  Formula formula;
  int degree;
};

// The block is inputs 0 to 9; the others are coefficients.
int degree_of(const Formula& formula) {
  const Traced t = traced(formula, false);
  std::vector<char> is_of_block(kInputs, 0);
  std::fill_n(is_of_block.begin(), 10, 1);
  return degree_in_block(*t.graph, t.input, t.outputs[0], is_of_block);
}

Expr effects(const Expr& x) { return gather(vector_shape(30), x, repeating(30, 10)); }
Expr others(const Expr& x) {
  std::vector<std::int32_t> index = repeating(30, 10);
  for (std::int32_t& i : index) i += 20;
  return gather(vector_shape(30), x, std::move(index));
}

TEST(degree, is_that_of_the_polynomial) {
  const std::vector<Case> all{
      {"no element of the block", [](const Expr& x) { return exp(x.element(12)) * x.element(11); }, 0},
      {"linear", [](const Expr& x) { return sum(effects(x) * exp(others(x))) / x.element(13); }, 1},
      {"normal rows",
       [](const Expr& x) {
         const Expr mean = x.element(10) + exp(x.element(11)) * effects(x);
         return sum(-0.5 * square((data(30) - mean) / exp(x.element(12))));
       },
       2},
      {"a design", [](const Expr& x) { return sum(square(matmul(design(30, 10), head(x, 10)))); }, 2},
      {"a product of effects",
       [](const Expr& x) { return sum(square(effects(x) * x.element(3))); }, kAboveTwo},
      {"a function", [](const Expr& x) { return sum(exp(effects(x))); }, kAboveTwo},
      {"a quotient", [](const Expr& x) { return x.element(12) / x.element(2); }, kAboveTwo}};
  for (const Case& c : all) EXPECT_EQ(degree_of(c.formula), c.degree) << c.name;
}

}  // namespace
}  // namespace credo::graph::degree_test
