// Heat kernel of a graph: exp(-t L), divided by the roots of its diagonal so that every node has variance 1 [kondor2002].
#include "models/kernels/graph_heat.hpp"
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
constexpr Index kPathNodes = 4;

// Without a graph, nodes 1 to 4 are a path: the table of kernels describes this row without a file.
const GraphHeat& graph_of(const KernelOptions& o) {
  static const GraphHeat path = [] {
    numerics::DenseMatrix weights(kPathNodes);
    for (Index i = 0; i + 1 < kPathNodes; ++i) weights(i, i + 1) = weights(i + 1, i) = 1.0;
    return GraphHeat({"1", "2", "3", "4"}, weights);
  }();
  return o.graph ? *o.graph : path;
}
Index node_of_code(double x) { return static_cast<Index>(x) - 1; }

std::vector<KernelParameter> heat_parameters(const KernelOptions& o) {
  const double degree = graph_of(o).mean_degree();
  return {{"time", KernelUnit::none, degree > 0.0 ? 1.0 / degree : 1.0}};
}
void heat_values(const KernelOptions& o, const double* theta, const double* x, const double* z,
                 Index count, double* value) {
  const auto heat = graph_of(o).at(theta[0]);
  for (Index j = 0; j < count; ++j) value[j] = heat->value(node_of_code(x[0]), node_of_code(z[j]));
}
void heat_slopes(const KernelOptions& o, const double* theta, const double* x, const double* z,
                 Index count, double* value, double* slope) {
  const auto heat = graph_of(o).at(theta[0]);
  for (Index j = 0; j < count; ++j) {
    value[j] = heat->value(node_of_code(x[0]), node_of_code(z[j]));
    slope[j] = heat->slope(node_of_code(x[0]), node_of_code(z[j]));
  }
}
// Nodes have no derivatives.
void heat_by_input(const KernelOptions& o, const double* theta, const double* x, const double* z,
                   Index, std::array<double, 4>& out) {
  out = {0.0, 0.0, 0.0, 0.0};
  heat_values(o, theta, x, z, 1, out.data());
}
}  // namespace

extern const KernelRow heat_kernel;
const KernelRow heat_kernel{.name = "heat",
                            .summary = "heat on a graph, exp(-time L): heat(node, \"edges.csv\")",
                            .reference = "kondor2002",
                            .words = "differences between nodes that neighbours share",
                            .most_columns = 1,
                            .columns = KernelColumns::factor,
                            .needs_graph = true,
                            .smoothness = smoothness_is<-1>,
                            .parameters = heat_parameters,
                            .values = heat_values,
                            .slopes = heat_slopes,
                            .by_input = heat_by_input};

}  // namespace credo::models
