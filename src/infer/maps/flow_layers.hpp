// Layers of flows: bijections y = f(x) of D values with a triangular or otherwise cheap Jacobian, stated as expressions.
//
// A new layer is a class, a file and a row of flow_layers() (flow.cpp); the suite tests/infer/flows_test.cpp runs over the rows: inverses,
// log Jacobians against determinants, gradients against differences, normalisation.
#pragma once
#include "base/rng.hpp"
#include "graph/core/expr.hpp"

namespace credo::infer {

struct FlowLayerSetup {
  Index dimension = 0;
  Index hidden = 32;  // units of a layer's network
  Index number = 0;   // place in the stack, from 0; orders and halves alternate with it
};

class FlowLayer {
 public:
  virtual ~FlowLayer() = default;
  virtual Index num_parameters() const = 0;
  // Parameters at which the layer is the identity.
  virtual std::vector<double> start(Rng& rng) const = 0;
  // y; adds log |∂y/∂x| to `log_jacobian`.
  virtual graph::Expr forward(const graph::Expr& parameters, const graph::Expr& x,
                              graph::Expr& log_jacobian) const = 0;
  // x; adds log |∂x/∂y|. Called only where there is an inverse.
  virtual bool has_inverse() const { return true; }
  virtual graph::Expr inverse(const graph::Expr& parameters, const graph::Expr& y,
                              graph::Expr& log_jacobian) const;
};

struct FlowLayerSpec {
  std::string_view name, summary, reference;
  std::unique_ptr<FlowLayer> (*make)(const FlowLayerSetup& setup);
};
std::span<const FlowLayerSpec> flow_layers();

std::unique_ptr<FlowLayer> make_affine_coupling(const FlowLayerSetup& setup);
std::unique_ptr<FlowLayer> make_inverse_autoregressive(const FlowLayerSetup& setup);
std::unique_ptr<FlowLayer> make_masked_autoregressive(const FlowLayerSetup& setup);
std::unique_ptr<FlowLayer> make_ode(const FlowLayerSetup& setup);
std::unique_ptr<FlowLayer> make_planar(const FlowLayerSetup& setup);
std::unique_ptr<FlowLayer> make_spline_coupling(const FlowLayerSetup& setup);

// A constant matrix of ones and zeros, by is_kept(i, j).
graph::Expr zero_one(Index rows, Index cols, const auto& is_kept) {
  std::vector<double> mask;
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) mask.push_back(is_kept(i, j) ? 1.0 : 0.0);
  return graph::constant(graph::matrix_shape(rows, cols), mask);
}

// Takes matrices and vectors from a vector of parameters, in their order.
class ParameterParts {
 public:
  explicit ParameterParts(const graph::Expr& parameters) : all_(parameters) {}
  graph::Expr vector(Index size) { return part(graph::vector_shape(size)); }
  graph::Expr matrix(Index rows, Index cols) { return part(graph::matrix_shape(rows, cols)); }

 private:
  graph::Expr part(graph::Shape shape) {
    const graph::Expr taken = graph::slice(shape, all_, used_);
    used_ += shape.size();
    return taken;
  }
  graph::Expr all_;
  Index used_ = 0;
};

}  // namespace credo::infer
