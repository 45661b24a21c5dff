// Derivatives of decompositions where they are delicate.
#include "graph/ops/linear_algebra.hpp"

#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"

namespace credo::graph::linear_algebra_test {
namespace {

Expr column(std::vector<double> values) { return constant(vector_shape(ssize(values)), values); }

// f(t) = y' (A + I/10)^-1 y through the eigenvectors of A = t w w' + 1e-5 I, five of whose six
// values differ by rounding only; f' = -(y' (A + I/10)^-1 w)^2. The gaps are units of rounding of
// 1e-5, the quotients by them err by at most 1e6, and cancel to 1e-16 of that.
TEST(symmetric_eigen, keeps_the_derivative_of_a_function_whose_values_nearly_meet) {
  Graph graph;
  const NodeId input = graph.add_input(vector_shape(1));
  const Expr t = Expr(graph, Ref{input, -1}).element(0);
  const Expr w = column({1, -0.5, 2, 0.25, 3, 0.75}), y = column({0.3, 1, -2, 0.7, 0.1, 1.5});
  const Expr shift = column(std::vector<double>(6, 0.1));
  const Expr a = t * matmul(w, w, false, true) + 1e-5 * identity(6);
  const SymmetricEigen e = symmetric_eigen(a);
  const Expr f =
      sum(square(matmul(e.vectors, y, true).reshaped(vector_shape(6))) / (e.values + shift));
  const Expr slope = gradient(graph, f, std::array{input})[0];
  const Program program(graph, input, std::array{slope});
  Workspace workspace(program, 1);
  workspace.set_input(0, std::array{0.8});
  workspace.run();
  const Expr known = 0.8 * matmul(w, w, false, true) + (1e-5 + 0.1) * identity(6);
  const double root = dot(y, solve(known, w)).value();
  EXPECT_NEAR(workspace.output(0, 0, 0), -root * root, 1e-7 * root * root);
}

}  // namespace
}  // namespace credo::graph::linear_algebra_test
