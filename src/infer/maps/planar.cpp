// Planar layers [rezende2015]: y = x + u tanh(wᵀ x + b), which bends space along one direction.
//
//   |∂y/∂x| = 1 + uᵀ w (1 - tanh²(wᵀ x + b))
//
// is positive for all x where uᵀ w > -1. An unconstrained vector v becomes u = v + (log(1 + exp(vᵀ w)) - 1 - vᵀ w) w / |w|², for which uᵀ w =
// log(1 + exp(vᵀ w)) - 1. There is no inverse in closed form.
#include "infer/maps/flow_layers.hpp"

namespace credo::infer {
namespace {
using graph::Expr;
constexpr double kLogOfEMinusOne = 0.54132485461291806;  // vᵀ w at u = 0

class PlanarLayer final : public FlowLayer {
 public:
  explicit PlanarLayer(const FlowLayerSetup& setup) : dimension_(setup.dimension) {}
  Index num_parameters() const override { return 2 * dimension_ + 1; }
  bool has_inverse() const override { return false; }
  // w in a random direction, and v = w log(e - 1) / |w|², which is u = 0.
  std::vector<double> start(Rng& rng) const override {
    std::vector<double> parameters;
    double square = 0.0;
    for (Index d = 0; d < dimension_; ++d) {
      parameters.push_back(rng.normal() / std::sqrt(static_cast<double>(dimension_)));
      square += parameters.back() * parameters.back();
    }
    for (Index d = 0; d < dimension_; ++d)
      parameters.push_back(parameters[static_cast<std::size_t>(d)] * kLogOfEMinusOne / square);
    parameters.push_back(0.1 * rng.normal());
    return parameters;
  }
  Expr forward(const Expr& parameters, const Expr& x, Expr& log_jacobian) const override {
    ParameterParts parts(parameters);
    const Expr w = parts.vector(dimension_), v = parts.vector(dimension_),
               b = parameters.element(2 * dimension_);
    const Expr along = graph::dot(v, w), share = graph::log1p_exp(along) - 1.0;
    const Expr u = v + w * ((share - along) / graph::dot(w, w));
    const Expr bent = graph::tanh(graph::dot(w, x) + b);
    log_jacobian = log_jacobian + graph::log1p(share * (1.0 - graph::square(bent)));
    return x + u * bent;
  }

 private:
  Index dimension_;
};
}  // namespace

std::unique_ptr<FlowLayer> make_planar(const FlowLayerSetup& setup) {
  return std::make_unique<PlanarLayer>(setup);
}

}  // namespace credo::infer
