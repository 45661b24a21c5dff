// Layers that follow a differential equation [chen2018, grathwohl2019]: y = x(1) of
//
//   dx/dt = f(x, t) = b + s ∘ x + V tanh(W x + a + c t)
//
// by four Runge-Kutta steps of fourth order. Unconstrained V and s are scaled so that f has a Lipschitz constant below 3/2: κ |W| |V| < 1 by the Frobenius norms
// and |s| < 1/2. Then a step of h = 1/4 is the identity and an increment whose Lipschitz constant is at most exp(3/8) - 1 = 0.455: it has an
// inverse, which is the limit of x ← y - φ(x), begun at the step backwards, and a positive determinant.
//
// Differs from the sources: log |∂y/∂x| is that of the steps themselves, by their Jacobian, where these integrate the trace of ∂f/∂x. The
// integral is that of the exact solution, which the steps miss by their error, and weights of draws would be wrong by as much. It takes D² numbers and
// O(H D²) operations a stage.
#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/maps/flow_layers.hpp"

namespace credo::infer {
namespace {
using graph::Expr;
constexpr int kSteps = 4, kCorrections = 8;
constexpr double kStep = 1.0 / kSteps;
constexpr double kMostOfScale = 0.5;  // bound of |s|
constexpr Index kMostOdeValues = 100;

// The field with its parameters, scaled.
struct OdeField {
  Expr shift, scale, out, in, bias, slope_of_time;  // b, s, V, W, a, c

  Expr units(const Expr& x, double time) const {
    return graph::tanh(graph::matmul(in, x) + bias + time * slope_of_time);
  }
  Expr at(const Expr& x, const Expr& units) const {
    return shift + scale * x + graph::matmul(out, units);
  }
};

// v in each of n columns.
Expr in_columns(const Expr& v, Index n) {
  const Expr ones = graph::fill(graph::matrix_shape(1, n), 1.0);
  return graph::matmul(v.reshaped(graph::matrix_shape(v.size(), 1)), ones);
}

// x, or x with its Jacobian, which follows the same steps.
struct OdeState {
  Expr x;
  std::optional<Expr> jacobian = {};
};

OdeState moved(const OdeState& from, double length, const OdeState& slope) {
  OdeState to{from.x + length * slope.x};
  if (from.jacobian) to.jacobian = *from.jacobian + length * *slope.jacobian;
  return to;
}

class OdeLayer final : public FlowLayer {
 public:
  explicit OdeLayer(const FlowLayerSetup& setup)
      : dimension_(setup.dimension), hidden_(setup.hidden) {
    if (dimension_ > kMostOdeValues)
      throw Error(ErrorCode::usage,
                  fmt::format("ode layers take {} values at most, there are {}", kMostOdeValues,
                              dimension_),
                  "layers", "take iaf, affine or spline layers");
  }
  Index num_parameters() const override {
    return 2 * dimension_ + 2 * hidden_ + 2 * dimension_ * hidden_;
  }
  // Units that see something, and a field of 0.
  std::vector<double> start(Rng& rng) const override {
    std::vector<double> parameters(static_cast<std::size_t>(num_parameters()), 0.0);
    const double width = 1.0 / std::sqrt(static_cast<double>(dimension_));
    for (Index k = 0; k < hidden_ * dimension_ + hidden_; ++k)
      parameters[static_cast<std::size_t>(k)] =
          (k < hidden_ * dimension_ ? width : 1.0) * rng.normal();
    return parameters;
  }
  Expr forward(const Expr& parameters, const Expr& x, Expr& log_jacobian) const override {
    return followed(field(parameters), x, log_jacobian, 1.0);
  }
  Expr inverse(const Expr& parameters, const Expr& y, Expr& log_jacobian) const override {
    const OdeField field_at = field(parameters);
    OdeState state{y};
    for (int k = kSteps; k-- > 0;) {
      const Expr end = state.x;
      state = moved(state, 1.0, increment(field_at, state, (k + 1) * kStep, -kStep));
      for (int c = 0; c < kCorrections; ++c)
        state.x = end - increment(field_at, state, k * kStep, kStep).x;
    }
    followed(field_at, state.x, log_jacobian, -1.0);
    return state.x;
  }

 private:
  OdeField field(const Expr& parameters) const {
    ParameterParts parts(parameters);
    OdeField own;
    own.in = parts.matrix(hidden_, dimension_), own.bias = parts.vector(hidden_);
    own.slope_of_time = parts.vector(hidden_), own.out = parts.matrix(dimension_, hidden_);
    own.shift = parts.vector(dimension_);
    const Expr free = parts.vector(dimension_);
    own.scale = kMostOfScale * free / graph::sqrt(1.0 + graph::square(free));
    const Expr norms = graph::sum(graph::square(own.in)) * graph::sum(graph::square(own.out));
    own.out = own.out * graph::inv_sqrt(1.0 + norms);
    return own;
  }
  OdeState slope(const OdeField& field, const OdeState& at, double time) const {
    const Expr units = field.units(at.x, time);
    OdeState slope{field.at(at.x, units)};
    if (!at.jacobian) return slope;
    const Expr inner =
        in_columns(1.0 - graph::square(units), dimension_) * graph::matmul(field.in, *at.jacobian);
    slope.jacobian =
        in_columns(field.scale, dimension_) * *at.jacobian + graph::matmul(field.out, inner);
    return slope;
  }
  // The increment of a Runge-Kutta step of this length.
  OdeState increment(const OdeField& field, const OdeState& at, double time, double length) const {
    const double half = 0.5 * length;
    const OdeState first = slope(field, at, time),
                   second = slope(field, moved(at, half, first), time + half),
                   third = slope(field, moved(at, half, second), time + half),
                   fourth = slope(field, moved(at, length, third), time + length);
    OdeState sum{(length / 6.0) * (first.x + 2.0 * (second.x + third.x) + fourth.x)};
    if (at.jacobian)
      sum.jacobian =
          (length / 6.0) *
          (*first.jacobian + 2.0 * (*second.jacobian + *third.jacobian) + *fourth.jacobian);
    return sum;
  }
  // y; adds `sign` times log |∂y/∂x|, by ½ log |Jᵀ J|.
  Expr followed(const OdeField& field, const Expr& x, Expr& log_jacobian, double sign) const {
    const graph::Shape square = graph::matrix_shape(dimension_, dimension_);
    std::vector<double> identity(static_cast<std::size_t>(dimension_ * dimension_), 0.0);
    std::vector<std::int32_t> diagonal;
    for (Index d = 0; d < dimension_; ++d) {
      identity[static_cast<std::size_t>(d * (dimension_ + 1))] = 1.0;
      diagonal.push_back(static_cast<std::int32_t>(d * (dimension_ + 1)));
    }
    OdeState state{x, graph::constant(square, identity)};
    for (int k = 0; k < kSteps; ++k)
      state = moved(state, 1.0, increment(field, state, k * kStep, kStep));
    const Expr factor =
        graph::cholesky(graph::matmul(*state.jacobian, *state.jacobian, true, false));
    const Expr pivots = graph::gather(graph::vector_shape(dimension_), factor, diagonal);
    log_jacobian = log_jacobian + sign * graph::sum(graph::log(pivots));
    return state.x;
  }

  Index dimension_, hidden_;
};
}  // namespace

std::unique_ptr<FlowLayer> make_ode(const FlowLayerSetup& setup) {
  return std::make_unique<OdeLayer>(setup);
}

}  // namespace credo::infer
