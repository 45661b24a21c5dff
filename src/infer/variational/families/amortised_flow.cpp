#include "infer/variational/families/amortised_flow.hpp"

#include "base/rng.hpp"
#include "base/stream.hpp"
#include "infer/maps/flow_layers.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
using graph::Expr;
constexpr std::uint32_t kGateStart = stream("variational.gates");
constexpr double kOpen = 2.0;        // logit of a gate at the start
constexpr double kWeightUnit = 0.2;  // change of a network's weight by 1 of λ
const double kLogOpen = -std::log1p(std::exp(-kOpen));

Index index_of(std::size_t n) { return static_cast<Index>(n); }

// Weights of an output for each local value, by the features with a one and by the context.
struct EncoderOutput {
  Expr direct, units;  // K × (F + 1), K × H
};

class AmortisedFlow final : public GraphMap {
 public:
  AmortisedFlow(const AmortisedNormal& start, const AmortisedSetup& amortised, Index num_steps);
  Index dimension() const override { return index_of(mean_.size()); }
  Index num_base() const override { return num_rest_ + num_each_ * num_rows_; }
  Index num_parameters() const override {
    return num_rest_parameters() + index_of(units_.size() + weights_.size());
  }
  std::vector<double> start() const override {
    return std::vector<double>(static_cast<std::size_t>(num_parameters()), 0.0);
  }
  Expr forward(const Expr& parameters, const Expr& z, Expr& log_jacobian) const override;

 private:
  void take_rest(const AmortisedNormal& start, CovarianceShape shape);
  void take_encoder(std::span<const double> parameters);
  void take_steps(std::uint64_t seed);
  void take_order(const AmortisedNormal& start, const NetworkBlock& block);
  bool is_full() const { return root_.size() > static_cast<std::size_t>(num_rest_); }
  Index num_below() const { return is_full() ? num_rest_ * (num_rest_ - 1) / 2 : 0; }
  Index num_rest_parameters() const { return 2 * num_rest_ + num_below(); }

  Expr rest_of(ParameterParts& parts, const Expr& z, Expr& log_jacobian) const;
  Expr local_of(ParameterParts& weights, const Expr& z, Expr& log_jacobian) const;
  Expr gated(ParameterParts& weights, const Expr& context, const Expr& values, Index number,
             Expr& log_jacobian) const;
  Expr masked_output(ParameterParts& weights, const Expr& context, const Expr& hidden,
                     const Expr& values, bool is_reversed) const;
  Expr features() const {
    return graph::constant(graph::matrix_shape(num_features_ + 1, num_rows_), features_);
  }
  Expr columns(std::span<const double> each) const {  // K × rows with the same column
    std::vector<double> all;
    for (Index n = 0; n < num_rows_; ++n) all.insert(all.end(), each.begin(), each.end());
    return graph::constant(graph::matrix_shape(num_each_, num_rows_), all);
  }
  Index rank(Index i, bool is_reversed) const { return is_reversed ? num_each_ - i : i + 1; }
  Index degree(Index k) const { return 1 + k * (num_each_ - 1) / num_hidden_; }

  Index num_rows_, num_each_, num_features_, num_hidden_, num_steps_;
  Index num_rest_ = 0;
  std::vector<double> mean_;                    // D, at the start
  std::vector<double> rest_mean_, root_;        // root: column by column, or its diagonal
  std::vector<double> points_, units_;          // values at the start, and units
  std::vector<double> features_;                // (F + 1) × rows: with a one
  std::vector<double> centre_, unit_, spread_;  // K
  std::vector<double> weights_;                 // all networks' weights at the start
  std::vector<std::int32_t> order_;             // place of each value among rest, points, local
};

AmortisedFlow::AmortisedFlow(const AmortisedNormal& start, const AmortisedSetup& amortised,
                             Index num_steps)
    : num_rows_(amortised.blocks.front().features.num_rows),
      num_each_(ssize(amortised.blocks.front().coordinates) / num_rows_),
      num_features_(amortised.blocks.front().features.num_features),
      num_hidden_(amortised.num_hidden),
      num_steps_(num_steps),
      mean_(start.mean()) {
  const NetworkBlock& block = amortised.blocks.front();
  const BlockState state = start.block_state(0);
  centre_.assign(state.centre.begin(), state.centre.end());
  unit_.assign(state.unit.begin(), state.unit.end());
  spread_.assign(state.spread.begin(), state.spread.end());
  take_rest(start, amortised.rest);
  for (const PointCoordinate& point : start.points()) {
    points_.push_back(mean_[static_cast<std::size_t>(point.coordinate)]);
    units_.push_back(point.unit);
  }
  for (Index n = 0; n < num_rows_; ++n) {
    const std::span<const double> row = block.features.row(n);
    features_.insert(features_.end(), row.begin(), row.end());
    features_.push_back(1.0);
  }
  take_encoder(state.parameters);
  take_steps(amortised.seed);
  take_order(start, block);
}

void AmortisedFlow::take_rest(const AmortisedNormal& start, CovarianceShape shape) {
  if (start.rest() == nullptr) return;
  rest_mean_ = start.rest()->mean();
  num_rest_ = ssize(rest_mean_);
  if (shape == CovarianceShape::diagonal) {
    root_ = start.rest()->variances();
    for (double& v : root_) v = std::sqrt(v);
    return;
  }
  const numerics::RowMatrix factor =
      numerics::lower_factor(numerics::RowMatrix(num_rest_, num_rest_, start.rest()->covariance()));
  for (Index j = 0; j < num_rest_; ++j)
    for (Index i = 0; i < num_rest_; ++i) root_.push_back(i < j ? 0.0 : factor(i, j));
}

// The network's parameters (row_network.hpp) in the order in which local_of() takes them, column by column.
void AmortisedFlow::take_encoder(std::span<const double> parameters) {
  const auto width = static_cast<std::size_t>(num_features_),
             hidden = static_cast<std::size_t>(num_hidden_),
             each = static_cast<std::size_t>(num_each_);
  const std::size_t bias = 2 * each * width, inner = bias + 2 * each,
                    shift = inner + hidden * width, outer = shift + hidden;
  const auto take_linear = [&](std::size_t first, std::size_t first_bias, std::size_t rows) {
    for (std::size_t f = 0; f < width; ++f)
      for (std::size_t o = 0; o < rows; ++o) weights_.push_back(parameters[first + o * width + f]);
    for (std::size_t o = 0; o < rows; ++o) weights_.push_back(parameters[first_bias + o]);
  };
  take_linear(inner, shift, hidden);
  for (std::size_t half = 0; half < 2; ++half) {  // means, log standard deviations
    const std::size_t from = half * each;
    take_linear(from * width, bias + from, each);
    for (std::size_t h = 0; h < hidden; ++h)
      for (std::size_t k = 0; k < each; ++k)
        weights_.push_back(parameters[outer + (from + k) * hidden + h]);
  }
}

// Hidden units that see something, and outputs of 0.
void AmortisedFlow::take_steps(std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = kGateStart, .chain = 0, .iteration = 0});
  const Index context = num_features_ + 1 + num_hidden_;
  const double width = 1.0 / std::sqrt(static_cast<double>(num_features_ + 1 + num_each_));
  for (Index t = 0; t < num_steps_; ++t) {
    for (Index k = 0; k < num_hidden_ * (context + num_each_); ++k)
      weights_.push_back(width * rng.normal());
    const Index outputs = 2 * num_each_ * (context + num_hidden_ + num_each_);
    weights_.insert(weights_.end(), static_cast<std::size_t>(outputs), 0.0);
  }
}

void AmortisedFlow::take_order(const AmortisedNormal& start, const NetworkBlock& block) {
  order_.resize(mean_.size());
  std::int32_t place = 0;
  for (const std::size_t d : start.rest_coordinates()) order_[d] = place++;
  for (const PointCoordinate& point : start.points())
    order_[static_cast<std::size_t>(point.coordinate)] = place++;
  for (const Index d : block.coordinates) order_[static_cast<std::size_t>(d)] = place++;
}

Expr AmortisedFlow::forward(const Expr& parameters, const Expr& z, Expr& log_jacobian) const {
  ParameterParts parts(parameters);
  std::vector<Expr> pieces;
  if (num_rest_ > 0) pieces.push_back(rest_of(parts, z, log_jacobian));
  if (!points_.empty()) {
    const graph::Shape shape = graph::vector_shape(ssize(points_));
    pieces.push_back(graph::constant(shape, points_) +
                     graph::constant(shape, units_) * parts.vector(ssize(points_)));
  }
  const graph::Shape shape = graph::vector_shape(ssize(weights_));
  ParameterParts weights(graph::constant(shape, weights_) +
                         kWeightUnit * parts.vector(ssize(weights_)));
  pieces.push_back(local_of(weights,
                            graph::slice(graph::matrix_shape(num_each_, num_rows_), z, num_rest_),
                            log_jacobian));
  const Expr all = graph::concat(graph::vector_shape(dimension()), pieces);
  return graph::gather(graph::vector_shape(dimension()), all, order_);
}

// x = mean + R (m + L z), L lower triangular with a positive diagonal.
Expr AmortisedFlow::rest_of(ParameterParts& parts, const Expr& z, Expr& log_jacobian) const {
  const graph::Shape shape = graph::vector_shape(num_rest_);
  const Expr own = graph::slice(shape, z, 0), shift = parts.vector(num_rest_),
             log_scale = parts.vector(num_rest_);
  Expr y = shift + graph::exp(log_scale) * own;
  double log_root = 0.0;
  const std::size_t step = is_full() ? static_cast<std::size_t>(num_rest_) + 1 : 1;
  for (std::size_t d = 0; d < root_.size(); d += step) log_root += numerics::log(root_[d]);
  log_jacobian = log_jacobian + graph::sum(log_scale) + log_root;
  if (!is_full()) return graph::constant(shape, rest_mean_) + graph::constant(shape, root_) * y;
  const graph::Shape square = graph::matrix_shape(num_rest_, num_rest_);
  if (num_below() > 0) {
    std::vector<std::int32_t> below;
    for (Index j = 0; j < num_rest_; ++j)
      for (Index i = j + 1; i < num_rest_; ++i)
        below.push_back(static_cast<std::int32_t>(i + j * num_rest_));
    y = y + graph::matmul(graph::scatter_add(square, parts.vector(num_below()), below), own);
  }
  return graph::constant(shape, rest_mean_) + graph::matmul(graph::constant(square, root_), y);
}

// All rows at once: a column each.
Expr AmortisedFlow::local_of(ParameterParts& weights, const Expr& z, Expr& log_jacobian) const {
  const Expr f = features();
  std::optional<Expr> hidden;
  const Expr inner = weights.matrix(num_hidden_, num_features_ + 1);
  if (num_hidden_ > 0) hidden = graph::tanh(graph::matmul(inner, f));
  const auto output = [&] {
    const Expr direct = graph::matmul(weights.matrix(num_each_, num_features_ + 1), f);
    const Expr units = weights.matrix(num_each_, num_hidden_);
    return hidden ? direct + graph::matmul(units, *hidden) : direct;
  };
  const Expr mean = output(), log_scale = output() + columns(spread_);
  const double log_growth = -static_cast<double>(num_steps_) * kLogOpen;
  Expr values = numerics::exp(log_growth) * (mean + graph::exp(log_scale) * z);
  double constants = log_growth * static_cast<double>(num_each_);
  for (const double unit : unit_) constants += numerics::log(unit);
  log_jacobian = log_jacobian + graph::sum(log_scale) + constants * static_cast<double>(num_rows_);
  Expr context = f;
  if (hidden) {
    // Column by column, a row of both after the other.
    std::vector<std::int32_t> order;
    const Index width = num_features_ + 1;
    for (Index n = 0; n < num_rows_; ++n) {
      for (Index k = 0; k < width; ++k) order.push_back(static_cast<std::int32_t>(n * width + k));
      for (Index k = 0; k < num_hidden_; ++k)
        order.push_back(static_cast<std::int32_t>(width * num_rows_ + n * num_hidden_ + k));
    }
    const std::array both{f, *hidden};
    const Expr joined = graph::concat(graph::vector_shape(num_rows_ * (width + num_hidden_)), both);
    context = graph::gather(graph::matrix_shape(width + num_hidden_, num_rows_), joined,
                            std::move(order));
  }
  for (Index t = 0; t < num_steps_; ++t) values = gated(weights, context, values, t, log_jacobian);
  return columns(centre_) + columns(unit_) * values;
}

Expr AmortisedFlow::gated(ParameterParts& weights, const Expr& context, const Expr& values,
                          Index number, Expr& log_jacobian) const {
  const bool is_reversed = number % 2 == 1;
  const Expr of_context = weights.matrix(num_hidden_, num_features_ + 1 + num_hidden_),
             of_values = weights.matrix(num_hidden_, num_each_);
  Expr hidden;
  if (num_hidden_ > 0) {
    const Expr mask = zero_one(num_hidden_, num_each_,
                               [&](Index k, Index j) { return rank(j, is_reversed) <= degree(k); });
    hidden =
        graph::tanh(graph::matmul(of_context, context) + graph::matmul(of_values * mask, values));
  }
  const Expr towards = masked_output(weights, context, hidden, values, is_reversed),
             logit = kOpen + masked_output(weights, context, hidden, values, is_reversed);
  log_jacobian = log_jacobian + graph::sum(graph::log_inv_logit(logit));
  const Expr gate = graph::inv_logit(logit);
  return gate * values + (1.0 - gate) * towards;
}

Expr AmortisedFlow::masked_output(ParameterParts& weights, const Expr& context, const Expr& hidden,
                                  const Expr& values, bool is_reversed) const {
  const Expr of_context = weights.matrix(num_each_, num_features_ + 1 + num_hidden_),
             of_hidden = weights.matrix(num_each_, num_hidden_),
             direct = weights.matrix(num_each_, num_each_);
  const Expr sees = zero_one(num_each_, num_each_, [&](Index i, Index j) {
    return rank(j, is_reversed) < rank(i, is_reversed);
  });
  const Expr all = graph::matmul(of_context, context) + graph::matmul(direct * sees, values);
  if (num_hidden_ == 0) return all;
  const Expr mask = zero_one(num_each_, num_hidden_,
                             [&](Index i, Index k) { return degree(k) < rank(i, is_reversed); });
  return all + graph::matmul(of_hidden * mask, hidden);
}
}  // namespace

std::shared_ptr<const GraphMap> make_amortised_flow(const AmortisedNormal& start,
                                                    const AmortisedSetup& amortised,
                                                    Index num_steps) {
  return std::make_shared<AmortisedFlow>(start, amortised, num_steps);
}

}  // namespace credo::infer
