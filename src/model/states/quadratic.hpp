// Normal densities found from their values: a quadratic L(z) = c + g'z + z'H z / 2 is found from its values at 0, +-e_i and
// e_i + e_j. With z = (x, p),
//
//   log N(x; A p + b, Q):   H_xx = -Q^-1,   H_xp = Q^-1 A,   g_x = Q^-1 b
#pragma once
#include "base/types.hpp"
#include "graph/core/graph.hpp"

namespace credo::model {

struct Quadratic {
  Index size;
  std::vector<double> gradient, curvature;
};
// The points of n elements at which values are needed, in the order of `quadratic_of`.
std::vector<std::vector<double>> quadratic_points(Index n);
Quadratic quadratic_of(Index n, std::span<const double> values);

// The distribution of the first m elements given the others.
struct LinearGaussian {
  std::vector<double> matrix, offset, noise;
};
// Empty if the curvature isn't that of a normal density, or a number isn't finite.
std::optional<LinearGaussian> linear_gaussian_of(Index m, const Quadratic& q);
double log_normal_density(Index m, const LinearGaussian& g, std::span<const double> z);

// True if the log density equals the expected one, to a relative accuracy of 1e-6.
bool is_log_density(double value, double expected);

// The degrees of a graph's expressions as polynomials in some elements of its input: 0, 1, 2, or kHigher for a higher degree and
// for anything that isn't known to be a polynomial.
class PolynomialDegrees {
 public:
  static constexpr std::uint8_t kHigher = 3;
  PolynomialDegrees(const graph::Graph& graph, graph::NodeId input,
                    std::span<const char> is_variable);

  std::uint8_t of(graph::Ref ref) const;  // degree of a node: the highest of its elements
  // True if the checks of the graph come out the same for all finite values of these elements.
  bool checks_are_fixed() const { return checks_are_fixed_; }

 private:
  using Degrees = std::vector<std::uint8_t>;
  std::uint8_t element(graph::Ref ref, std::size_t k) const;
  Degrees degrees_of(const graph::Node& node) const;
  Degrees of_elementwise(const graph::Node& node) const;
  Degrees of_structure(const graph::Node& node) const;

  const graph::Graph& graph_;
  std::vector<Degrees> all_;  // by node; empty: all 0
  bool checks_are_fixed_ = true;
};

}  // namespace credo::model
