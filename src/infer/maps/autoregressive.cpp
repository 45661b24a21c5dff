// Affine autoregressive layers, whose shifts and scales come from a masked network [germain2015]:
//
//   h = tanh(b + W x),   m = b_m + V_m h + U_m x,   s = b_s + V_s h + U_s x
//
// Coordinates have ranks 1 … D, units degrees 1 … D - 1. W keeps unit k from coordinate j unless rank j <= degree k, V coordinate i from
// unit k unless degree k < rank i, U coordinate i from j unless rank j < rank i. So m_i and s_i depend on coordinates of lower rank only.
//
//   iaf   y_i = m_i(x) + exp(s_i(x)) x_i   all at once; its inverse one coordinate after another [kingma2016]
//   maf   y_i = m_i(y) + exp(s_i(y)) x_i   one after another; its inverse all at once [papamakarios2017]
//
// Both have log |∂y/∂x| = Σ s_i. Ranks are reversed in every second layer of a stack. The direct connections U let s be linear, so
// that a funnel is within one layer.
#include "infer/maps/flow_layers.hpp"

namespace credo::infer {
namespace {
using graph::Expr;

struct ShiftAndScale {
  Expr shift, log_scale;
};

// The network with its parameters in their places.
class MaskedNetwork {
 public:
  MaskedNetwork(const FlowLayerSetup& setup, bool is_reversed)
      : dimension_(setup.dimension), hidden_(setup.dimension > 1 ? setup.hidden : 0) {
    for (Index i = 0; i < dimension_; ++i) ranks_.push_back(is_reversed ? dimension_ - i : i + 1);
    for (Index k = 0; k < hidden_; ++k) degrees_.push_back(1 + k * (dimension_ - 1) / hidden_);
  }
  Index num_parameters() const {
    if (hidden_ == 0) return 2 * dimension_;
    return hidden_ + hidden_ * dimension_ +
           2 * (dimension_ + dimension_ * hidden_ + dimension_ * dimension_);
  }
  // Units that see something, and shifts and scales of 0.
  std::vector<double> start(Rng& rng) const {
    std::vector<double> parameters(static_cast<std::size_t>(num_parameters()), 0.0);
    const double width = 1.0 / std::sqrt(static_cast<double>(dimension_));
    for (Index k = 0; k < hidden_ + hidden_ * dimension_; ++k)
      parameters[static_cast<std::size_t>(k)] = width * rng.normal();
    return parameters;
  }

  // m and s at all coordinates of x.
  ShiftAndScale at(const Expr& parameters, const Expr& x) const {
    const Weights w = weights(parameters);
    ShiftAndScale all{w.shift.bias, w.log_scale.bias};
    if (hidden_ == 0) return all;
    const Expr h = graph::tanh(w.bias + graph::matmul(w.inputs, x));
    all.shift = all.shift + graph::matmul(w.shift.units, h) + graph::matmul(w.shift.direct, x);
    all.log_scale =
        all.log_scale + graph::matmul(w.log_scale.units, h) + graph::matmul(w.log_scale.direct, x);
    return all;
  }

  // The coordinates made one after another, in the order of their ranks: next(i, m_i, s_i) makes coordinate i, of which those of higher
  // rank see the value.
  Expr one_by_one(const Expr& parameters,
                  const std::function<Expr(Index, const ShiftAndScale&)>& next) const {
    const Weights w = weights(parameters);
    std::vector<Expr> made(static_cast<std::size_t>(dimension_), Expr(0.0));
    for (Index rank = 1; rank <= dimension_; ++rank) {
      const Index i = coordinate_of(rank);
      const Expr known = graph::pack(graph::vector_shape(dimension_), made);
      ShiftAndScale own{w.shift.bias.element(i), w.log_scale.bias.element(i)};
      if (rank > 1) {
        const Expr h = graph::tanh(w.bias + graph::matmul(w.inputs, known));
        own.shift = own.shift + row_of(w.shift, i, h, known);
        own.log_scale = own.log_scale + row_of(w.log_scale, i, h, known);
      }
      made[static_cast<std::size_t>(i)] = next(i, own);
    }
    return graph::pack(graph::vector_shape(dimension_), made);
  }

 private:
  struct Output {
    Expr bias, units, direct;  // D, D × H, D × D
  };
  struct Weights {
    Expr bias, inputs;  // H, H × D
    Output shift, log_scale;
  };
  Index rank(Index i) const { return ranks_[static_cast<std::size_t>(i)]; }
  Index degree(Index k) const { return degrees_[static_cast<std::size_t>(k)]; }
  Index coordinate_of(Index rank) const {
    return static_cast<Index>(std::ranges::find(ranks_, rank) - ranks_.begin());
  }

  Weights weights(const Expr& parameters) const {
    ParameterParts parts(parameters);
    Weights w;
    if (hidden_ == 0) {  // a single value
      for (Output* output : {&w.shift, &w.log_scale}) output->bias = parts.vector(dimension_);
      return w;
    }
    w.bias = parts.vector(hidden_), w.inputs = parts.matrix(hidden_, dimension_);
    w.inputs = w.inputs * zero_one(hidden_, dimension_,
                                   [&](Index k, Index j) { return rank(j) <= degree(k); });
    for (Output* output : {&w.shift, &w.log_scale}) {
      output->bias = parts.vector(dimension_);
      output->units =
          parts.matrix(dimension_, hidden_) *
          zero_one(dimension_, hidden_, [&](Index i, Index k) { return degree(k) < rank(i); });
      output->direct =
          parts.matrix(dimension_, dimension_) *
          zero_one(dimension_, dimension_, [&](Index i, Index j) { return rank(j) < rank(i); });
    }
    return w;
  }
  // Coordinate i of V h + U x.
  Expr row_of(const Output& output, Index i, const Expr& h, const Expr& x) const {
    const auto row = [&](const Expr& of, Index cols) {
      std::vector<std::int32_t> index;
      for (Index j = 0; j < cols; ++j)
        index.push_back(static_cast<std::int32_t>(i + j * dimension_));
      return graph::gather(graph::vector_shape(cols), of, std::move(index));
    };
    return graph::dot(row(output.units, hidden_), h) +
           graph::dot(row(output.direct, dimension_), x);
  }

  Index dimension_, hidden_;
  std::vector<Index> ranks_, degrees_;
};

class AutoregressiveLayer final : public FlowLayer {
 public:
  AutoregressiveLayer(const FlowLayerSetup& setup, bool is_inverse)
      : network_(setup, setup.number % 2 == 1), is_inverse_(is_inverse) {}
  Index num_parameters() const override { return network_.num_parameters(); }
  std::vector<double> start(Rng& rng) const override { return network_.start(rng); }
  Expr forward(const Expr& parameters, const Expr& x, Expr& log_jacobian) const override {
    return is_inverse_ ? scale_all(parameters, x, log_jacobian)
                       : scale_one_by_one(parameters, x, log_jacobian);
  }
  Expr inverse(const Expr& parameters, const Expr& y, Expr& log_jacobian) const override {
    return is_inverse_ ? unscale_one_by_one(parameters, y, log_jacobian)
                       : unscale_all(parameters, y, log_jacobian);
  }

 private:
  Expr scale_all(const Expr& parameters, const Expr& x, Expr& log_jacobian) const {
    const ShiftAndScale by = network_.at(parameters, x);
    log_jacobian = log_jacobian + graph::sum(by.log_scale);
    return by.shift + graph::exp(by.log_scale) * x;
  }
  Expr unscale_one_by_one(const Expr& parameters, const Expr& y, Expr& log_jacobian) const {
    return network_.one_by_one(parameters, [&](Index i, const ShiftAndScale& by) {
      log_jacobian = log_jacobian - by.log_scale;
      return (y.element(i) - by.shift) * graph::exp(-by.log_scale);
    });
  }
  Expr scale_one_by_one(const Expr& parameters, const Expr& x, Expr& log_jacobian) const {
    return network_.one_by_one(parameters, [&](Index i, const ShiftAndScale& by) {
      log_jacobian = log_jacobian + by.log_scale;
      return by.shift + graph::exp(by.log_scale) * x.element(i);
    });
  }
  Expr unscale_all(const Expr& parameters, const Expr& y, Expr& log_jacobian) const {
    const ShiftAndScale by = network_.at(parameters, y);
    log_jacobian = log_jacobian - graph::sum(by.log_scale);
    return (y - by.shift) * graph::exp(-by.log_scale);
  }

  MaskedNetwork network_;
  bool is_inverse_;
};
}  // namespace

std::unique_ptr<FlowLayer> make_inverse_autoregressive(const FlowLayerSetup& setup) {
  return std::make_unique<AutoregressiveLayer>(setup, true);
}

std::unique_ptr<FlowLayer> make_masked_autoregressive(const FlowLayerSetup& setup) {
  return std::make_unique<AutoregressiveLayer>(setup, false);
}

}  // namespace credo::infer
