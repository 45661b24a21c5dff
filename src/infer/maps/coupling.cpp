// Coupling layers [dinh2017]: half of the coordinates stays, and a network of these chooses the functions by which the others move.
//
//   h = tanh(b + W x_A),   θ = c + V h,   y_A = x_A,   y_B = f(x_B; θ)
//
//   affine   y_B = m + exp(s) x_B, θ = (m, s)
//   spline   y_B = m + exp(s) g(x_B), g a monotone rational-quadratic spline with 8 bins on (-4, 4), the identity outside [durkan2019]; the
//            affine part, which the source has in layers between, widens its reach
//
// Both directions cost one run of the network. A is the first half in layers of even number, the second one in the others.
#include "infer/maps/flow_layers.hpp"

namespace credo::infer {
namespace {
using graph::Expr;
constexpr Index kBins = 8;
constexpr double kReach = 4.0;       // standard deviations of the start
constexpr double kNarrowest = 1e-3;  // share of a bin
constexpr double kFlattest = 1e-3;   // slope at a knot
constexpr double kSlopeOfOne =
    0.5397424172369522;  // log(exp(1 - kFlattest) - 1): slopes are 1 at parameters 0

// Columns of θ, B × k, from a network of one hidden layer, or from biases alone where nothing stays.
class CouplingNetwork {
 public:
  CouplingNetwork(const FlowLayerSetup& setup, Index each) : hidden_(setup.hidden), each_(each) {
    const Index n = setup.dimension, half = n / 2;
    const bool first_stays = setup.number % 2 == 0;
    for (Index i = 0; i < n; ++i) {
      const bool is_first = first_stays ? i < half : i < n - half;
      (is_first == first_stays ? staying_ : moving_).push_back(static_cast<std::int32_t>(i));
    }
    if (staying_.empty()) hidden_ = 0;
  }
  Index num_staying() const { return ssize(staying_); }
  Index num_moving() const { return ssize(moving_); }
  Index num_parameters() const {
    const Index outputs = each_ * num_moving();
    return hidden_ + hidden_ * num_staying() + outputs + outputs * hidden_;
  }
  std::vector<double> start(Rng& rng) const {
    std::vector<double> parameters(static_cast<std::size_t>(num_parameters()), 0.0);
    const double width = 1.0 / std::sqrt(std::max(1.0, static_cast<double>(num_staying())));
    for (Index k = 0; k < hidden_ + hidden_ * num_staying(); ++k)
      parameters[static_cast<std::size_t>(each_ * num_moving() + k)] = width * rng.normal();
    return parameters;
  }
  Expr staying(const Expr& x) const {
    return graph::gather(graph::vector_shape(num_staying()), x, staying_);
  }
  Expr moving(const Expr& x) const {
    return graph::gather(graph::vector_shape(num_moving()), x, moving_);
  }
  // `each` vectors of as many values as move.
  std::vector<Expr> at(const Expr& parameters, const Expr& x) const {
    ParameterParts parts(parameters);
    const Index outputs = each_ * num_moving();
    Expr all = parts.vector(outputs);
    if (hidden_ > 0) {
      const Expr bias = parts.vector(hidden_), inputs = parts.matrix(hidden_, num_staying());
      const Expr h = graph::tanh(bias + graph::matmul(inputs, staying(x)));
      all = all + graph::matmul(parts.matrix(outputs, hidden_), h);
    }
    std::vector<Expr> columns;
    for (Index k = 0; k < each_; ++k)
      columns.push_back(graph::slice(graph::vector_shape(num_moving()), all, k * num_moving()));
    return columns;
  }
  // x with other values of those that move.
  Expr with(const Expr& x, const Expr& moved) const {
    if (staying_.empty()) return moved;
    const std::array both{staying(x), moved};
    const Expr joined = graph::concat(graph::vector_shape(x.size()), both);
    std::vector<std::int32_t> index(static_cast<std::size_t>(x.size()));
    for (std::size_t k = 0; k < staying_.size(); ++k)
      index[static_cast<std::size_t>(staying_[k])] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < moving_.size(); ++k)
      index[static_cast<std::size_t>(moving_[k])] = static_cast<std::int32_t>(staying_.size() + k);
    return graph::gather(graph::vector_shape(x.size()), joined, std::move(index));
  }

 private:
  Index hidden_, each_;
  std::vector<std::int32_t> staying_, moving_;
};

class AffineCoupling final : public FlowLayer {
 public:
  explicit AffineCoupling(const FlowLayerSetup& setup) : network_(setup, 2) {}
  Index num_parameters() const override { return network_.num_parameters(); }
  std::vector<double> start(Rng& rng) const override { return network_.start(rng); }
  Expr forward(const Expr& parameters, const Expr& x, Expr& log_jacobian) const override {
    const std::vector<Expr> by = network_.at(parameters, x);
    log_jacobian = log_jacobian + graph::sum(by[1]);
    return network_.with(x, by[0] + graph::exp(by[1]) * network_.moving(x));
  }
  Expr inverse(const Expr& parameters, const Expr& y, Expr& log_jacobian) const override {
    const std::vector<Expr> by = network_.at(parameters, y);
    log_jacobian = log_jacobian - graph::sum(by[1]);
    return network_.with(y, (network_.moving(y) - by[0]) * graph::exp(-by[1]));
  }

 private:
  CouplingNetwork network_;
};

// A bin of the spline that holds the argument, of each coordinate that moves.
struct SplineBin {
  Expr x, y, width, height, slope, next_slope;  // lower knot; slopes at both
};

class SplineCoupling final : public FlowLayer {
 public:
  explicit SplineCoupling(const FlowLayerSetup& setup) : network_(setup, 3 * kBins + 1) {}
  Index num_parameters() const override { return network_.num_parameters(); }
  std::vector<double> start(Rng& rng) const override { return network_.start(rng); }
  Expr forward(const Expr& parameters, const Expr& x, Expr& log_jacobian) const override;
  Expr inverse(const Expr& parameters, const Expr& y, Expr& log_jacobian) const override;

 private:
  static constexpr std::size_t kShift = 3 * kBins - 1, kLogScale = kShift + 1;
  // The bin by the lower and upper ends of x, or of y.
  SplineBin bin_of(const std::vector<Expr>& by, const Expr& at, bool by_y) const;
  CouplingNetwork network_;
};

// Knots from -reach to reach whose distances are shares, at least the narrowest.
std::vector<Expr> knots_of(std::span<const Expr> logits) {
  Expr top = logits[0];
  for (const Expr& logit : logits.subspan(1)) top = graph::fmax(top, logit);
  std::vector<Expr> terms;
  Expr total = 0.0;
  for (const Expr& logit : logits) {
    terms.push_back(graph::exp(logit - top));
    total = terms.size() == 1 ? terms.back() : total + terms.back();
  }
  constexpr double kFree = 1.0 - kNarrowest * kBins;
  std::vector<Expr> knots{graph::fill(logits[0].shape(), -kReach)};
  for (const Expr& term : terms)
    knots.push_back(knots.back() + 2.0 * kReach * (kNarrowest + kFree * term / total));
  return knots;
}

SplineBin SplineCoupling::bin_of(const std::vector<Expr>& by, const Expr& at, bool by_y) const {
  const std::vector<Expr> xs = knots_of(std::span(by).first(kBins)),
                          ys = knots_of(std::span(by).subspan(kBins, kBins));
  std::vector<Expr> slopes{graph::fill(at.shape(), 1.0)};
  for (Index k = 0; k + 1 < kBins; ++k)
    slopes.push_back(kFlattest +
                     graph::log1p_exp(by[static_cast<std::size_t>(2 * kBins + k)] + kSlopeOfOne));
  slopes.push_back(slopes.front());
  const auto bin = [&](std::size_t k) {
    return SplineBin{.x = xs[k],
                     .y = ys[k],
                     .width = xs[k + 1] - xs[k],
                     .height = ys[k + 1] - ys[k],
                     .slope = slopes[k],
                     .next_slope = slopes[k + 1]};
  };
  SplineBin chosen = bin(0);
  for (std::size_t k = 1; k < kBins; ++k) {
    const Expr is_beyond = graph::less_equal((by_y ? ys : xs)[k], at);
    const SplineBin own = bin(k);
    for (Expr SplineBin::*part : {&SplineBin::x, &SplineBin::y, &SplineBin::width,
                                  &SplineBin::height, &SplineBin::slope, &SplineBin::next_slope})
      chosen.*part = graph::select(is_beyond, own.*part, chosen.*part);
  }
  return chosen;
}

// log of the slope at share t of a bin [durkan2019, eq. 22].
Expr log_slope(const SplineBin& bin, const Expr& t) {
  const Expr mean = bin.height / bin.width, u = t * (1.0 - t);
  const Expr below = mean + (bin.next_slope + bin.slope - 2.0 * mean) * u;
  const Expr above =
      bin.next_slope * graph::square(t) + 2.0 * mean * u + bin.slope * graph::square(1.0 - t);
  return 2.0 * graph::log(mean) + graph::log(above) - 2.0 * graph::log(below);
}

// Arguments outside are taken to 0 first: their answers aren't used, and must be finite.
Expr SplineCoupling::forward(const Expr& parameters, const Expr& x, Expr& log_jacobian) const {
  const Expr own = network_.moving(x);
  const Expr is_outside = graph::less(graph::fill(own.shape(), kReach), graph::abs(own));
  const Expr zero = graph::fill(own.shape(), 0.0), inside = graph::select(is_outside, zero, own);
  const std::vector<Expr> by = network_.at(parameters, x);
  const SplineBin bin = bin_of(by, inside, false);
  const Expr t = (inside - bin.x) / bin.width, mean = bin.height / bin.width, u = t * (1.0 - t);
  const Expr below = mean + (bin.next_slope + bin.slope - 2.0 * mean) * u;
  const Expr moved = bin.y + bin.height * (mean * graph::square(t) + bin.slope * u) / below;
  log_jacobian = log_jacobian + graph::sum(by[kLogScale]) +
                 graph::sum(graph::select(is_outside, zero, log_slope(bin, t)));
  return network_.with(
      x, by[kShift] + graph::exp(by[kLogScale]) * graph::select(is_outside, own, moved));
}

// The share is a root of a quadratic equation [durkan2019, eq. 25-29], in the form without cancellation.
Expr SplineCoupling::inverse(const Expr& parameters, const Expr& y, Expr& log_jacobian) const {
  const std::vector<Expr> by = network_.at(parameters, y);
  const Expr own = (network_.moving(y) - by[kShift]) * graph::exp(-by[kLogScale]);
  const Expr is_outside = graph::less(graph::fill(own.shape(), kReach), graph::abs(own));
  const Expr zero = graph::fill(own.shape(), 0.0), inside = graph::select(is_outside, zero, own);
  const SplineBin bin = bin_of(by, inside, true);
  const Expr mean = bin.height / bin.width, off = inside - bin.y,
             bend = bin.next_slope + bin.slope - 2.0 * mean;
  const Expr a = bin.height * (mean - bin.slope) + off * bend,
             b = bin.height * bin.slope - off * bend, c = -(mean * off);
  const Expr root = graph::sqrt(graph::fmax(graph::square(b) - 4.0 * a * c, zero));
  const Expr t = 2.0 * c / (-b - root);
  log_jacobian = log_jacobian - graph::sum(by[kLogScale]) -
                 graph::sum(graph::select(is_outside, zero, log_slope(bin, t)));
  return network_.with(y, graph::select(is_outside, own, bin.x + t * bin.width));
}
}  // namespace

std::unique_ptr<FlowLayer> make_affine_coupling(const FlowLayerSetup& setup) {
  return std::make_unique<AffineCoupling>(setup);
}

std::unique_ptr<FlowLayer> make_spline_coupling(const FlowLayerSetup& setup) {
  return std::make_unique<SplineCoupling>(setup);
}

}  // namespace credo::infer
