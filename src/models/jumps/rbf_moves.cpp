// Moves of radial basis networks. In the full form the coefficients of what changes are drawn given
// all the rest: with residuals r that leave these components out, columns Phi of the new ones and
// noise s, a ~ N(A^-1 Phi'r, s^2 A^-1), A = Phi'Phi + I / bump_scale^2. The split takes
//
//   (mu, a, u, a_1, a_2)  to  (mu - alpha u, a_1, mu + alpha u, a_2, a),
//
// the determinant is (2 alpha)^d, and the ratio has q(a) / (q(u) q(a_1, a_2)).
#include "models/jumps/rbf_network.hpp"
#include "numerics/elementary.hpp"

namespace credo::models {
using namespace infer::rj;
using graph::Expr;
namespace {
constexpr double kHalfLog2Pi = 0.91893853320467274178;

// Sums of one or two columns against the residuals without some components.
struct Conditional {
  double log_sd = 0.0;
  double a11 = 0.0, a21 = 0.0, a22 = 0.0;  // A
  double b1 = 0.0, b2 = 0.0;               // Phi'r
};

struct Replaced {  // components whose part isn't in the fit; -1: none
  Index first = -1, second = -1;
  bool has(Index j) const { return j == first || j == second; }
};

double fit_without(const RbfProblem& p, std::span<const double> x, std::span<const double> point,
                   const Replaced& replaced) {
  const ComponentLayout layout = p.full_layout();
  double fit = x[1];
  for (std::size_t l = 0; l < point.size(); ++l) fit += x[2 + l] * point[l];
  for (Index j = 0; j < layout.count(x); ++j) {
    if (replaced.has(j)) continue;
    const auto component = layout.component(x, j);
    fit += component.back() * p.basis(point, component.first(point.size()));
  }
  return fit;
}

// second may be empty: then there is one column.
Conditional conditional_of(const RbfProblem& p, std::span<const double> x, const Replaced& replaced,
                           std::span<const double> first, std::span<const double> second = {}) {
  const double prior = 1.0 / (p.bump_scale * p.bump_scale);
  Conditional sums{.log_sd = x[0], .a11 = prior, .a22 = prior};
  for (Index i = 0; i < p.num_points(); ++i) {
    const std::span<const double> point = p.point(i);
    const double r = p.y[static_cast<std::size_t>(i)] - fit_without(p, x, point, replaced);
    const double one = p.basis(point, first), two = second.empty() ? 0.0 : p.basis(point, second);
    sums.a11 += one * one;
    sums.a21 += one * two;
    sums.a22 += two * two;
    sums.b1 += one * r;
    sums.b2 += two * r;
  }
  return sums;
}

// Coefficients from and to independent standard normals, L L' = A:  z = L'(a - mean) / s.
struct Factored {
  double l11, l21, l22, mean1, mean2, log_sd;
  explicit Factored(const Conditional& c)
      : l11(numerics::sqrt(c.a11)),
        l21(c.a21 / l11),
        l22(numerics::sqrt(c.a22 - l21 * l21)),
        mean1(0.0),
        mean2((c.b2 - l21 * (c.b1 / l11)) / (l22 * l22)),
        log_sd(c.log_sd) {
    mean1 = (c.b1 / l11 - l21 * mean2) / l11;
  }
  double log_density(double a1, double a2) const {
    const double s = numerics::exp(log_sd), d1 = (a1 - mean1) / s, d2 = (a2 - mean2) / s;
    const double z1 = l11 * d1 + l21 * d2, z2 = l22 * d2;
    return -2.0 * (kHalfLog2Pi + log_sd) + numerics::log(l11 * l22) - 0.5 * (z1 * z1 + z2 * z2);
  }
  void draw(std::span<double> a, Rng& rng) const {
    const double s = numerics::exp(log_sd), z1 = rng.normal(), z2 = rng.normal() / l22;
    a[1] = mean2 + s * z2;
    a[0] = mean1 + s * (z1 - l21 * z2) / l11;
  }
};

double draw_one(const Conditional& c, Rng& rng) {
  return c.b1 / c.a11 + numerics::exp(c.log_sd) * rng.normal() / numerics::sqrt(c.a11);
}
double log_density_one(const Conditional& c, double a) {
  const double z = (a - c.b1 / c.a11) * numerics::sqrt(c.a11) * numerics::exp(-c.log_sd);
  return -kHalfLog2Pi - c.log_sd + 0.5 * numerics::log(c.a11) - 0.5 * z * z;
}

// A centre from its prior and, in the full form, its coefficient.
class RbfBirth final : public AuxiliaryDistribution {
 public:
  RbfBirth(SharedRbf problem, bool with_coefficient)
      : p_(std::move(problem)), with_coefficient_(with_coefficient) {}
  Index size() const override { return p_->num_inputs + (with_coefficient_ ? 1 : 0); }
  void draw(std::span<const double> x, const Label&, std::span<double> u, Rng& rng) const override {
    const auto centre = u.first(static_cast<std::size_t>(p_->num_inputs));
    for (double& value : centre) value = p_->centre_mean + p_->centre_sd * rng.normal();
    if (with_coefficient_) u.back() = draw_one(conditional_of(*p_, x, {}, centre), rng);
  }
  double log_density(std::span<const double> x, const Label&,
                     std::span<const double> u) const override {
    const auto centre = u.first(static_cast<std::size_t>(p_->num_inputs));
    double sum = 0.0;
    for (const double value : centre) {
      const double z = (value - p_->centre_mean) / p_->centre_sd;
      sum += -kHalfLog2Pi - numerics::log(p_->centre_sd) - 0.5 * z * z;
    }
    if (with_coefficient_) sum += log_density_one(conditional_of(*p_, x, {}, centre), u.back());
    return sum;
  }

 private:
  SharedRbf p_;
  bool with_coefficient_;
};

// u in the unit ball, then both coefficients.
class RbfSplit final : public AuxiliaryDistribution {
 public:
  RbfSplit(SharedRbf problem, double alpha)
      : p_(std::move(problem)), alpha_(alpha), ball_(uniform_in_ball(p_->num_inputs)) {}
  Index size() const override { return p_->num_inputs + 2; }
  void draw(std::span<const double> x, const Label& pair, std::span<double> u,
            Rng& rng) const override {
    const auto d = static_cast<std::size_t>(p_->num_inputs);
    ball_->draw(x, pair, u.first(d), rng);
    Factored(conditional(x, pair, u)).draw(u.subspan(d), rng);
  }
  double log_density(std::span<const double> x, const Label& pair,
                     std::span<const double> u) const override {
    const auto d = static_cast<std::size_t>(p_->num_inputs);
    return ball_->log_density(x, pair, u.first(d)) +
           Factored(conditional(x, pair, u)).log_density(u[d], u[d + 1]);
  }

 private:
  Conditional conditional(std::span<const double> x, const Label& pair,
                          std::span<const double> u) const {
    const Index split = split_of(pair);
    const auto centre = p_->full_layout().component(x, split);
    const auto d = static_cast<std::size_t>(p_->num_inputs);
    std::array<double, kMostInputs> first{}, second{};
    for (std::size_t l = 0; l < d; ++l) {
      first[l] = centre[l] - alpha_ * u[l];
      second[l] = centre[l] + alpha_ * u[l];
    }
    return conditional_of(*p_, x, {.first = split}, std::span(first).first(d),
                          std::span(second).first(d));
  }

  SharedRbf p_;
  double alpha_;
  std::shared_ptr<const AuxiliaryDistribution> ball_;
};

// The coefficient of the centre between two.
class RbfMerge final : public AuxiliaryDistribution {
 public:
  explicit RbfMerge(SharedRbf problem) : p_(std::move(problem)) {}
  Index size() const override { return 1; }
  void draw(std::span<const double> x, const Label& pair, std::span<double> u,
            Rng& rng) const override {
    u[0] = draw_one(conditional(x, pair), rng);
  }
  double log_density(std::span<const double> x, const Label& pair,
                     std::span<const double> u) const override {
    return log_density_one(conditional(x, pair), u[0]);
  }

 private:
  Conditional conditional(std::span<const double> x, const Label& pair) const {
    const ComponentLayout layout = p_->full_layout();
    const auto first = layout.component(x, pair[0]), second = layout.component(x, pair[1]);
    const auto d = static_cast<std::size_t>(p_->num_inputs);
    std::array<double, kMostInputs> centre{};
    for (std::size_t l = 0; l < d; ++l) centre[l] = 0.5 * (first[l] + second[l]);
    return conditional_of(*p_, x, {pair[0], pair[1]}, std::span(centre).first(d));
  }

  SharedRbf p_;
};

// (mu, a, u, a_1, a_2) to (mu - alpha u, a_1, mu + alpha u, a_2, a) and back, around the map of the
// positions.
MapFormulas split_with_coefficients(Index num_inputs, double alpha) {
  const MapFormulas positions = split_positions(num_inputs, alpha);
  const auto d = static_cast<std::size_t>(num_inputs);
  const auto forward = [=](Scalars x) {
    std::vector<Expr> centre_and_u(x.begin(), x.begin() + num_inputs);
    centre_and_u.insert(centre_and_u.end(), x.begin() + num_inputs + 1,
                        x.begin() + 2 * num_inputs + 1);
    std::vector<Expr> y = positions.forward(centre_and_u);
    y.insert(y.begin() + num_inputs, x[2 * d + 1]);
    y.push_back(x[2 * d + 2]);
    y.push_back(x[d]);
    return y;
  };
  const auto inverse = [=](Scalars y) {
    std::vector<Expr> centres(y.begin(), y.begin() + num_inputs);
    centres.insert(centres.end(), y.begin() + num_inputs + 1, y.begin() + 2 * num_inputs + 1);
    std::vector<Expr> x = positions.inverse(centres);
    x.insert(x.begin() + num_inputs, y[2 * d + 2]);
    x.push_back(y[d]);
    x.push_back(y[2 * d + 1]);
    return x;
  };
  return {.size = 2 * num_inputs + 3, .forward = forward, .inverse = inverse};
}

std::vector<Jump> jumps_of(const RbfProblem& problem, const ComponentMoves& moves,
                           const RbfMoveOptions& options) {
  const auto by_number = balanced_probabilities(problem.log_prior_of_number(), options.share);
  return component_jumps(moves, by_number);
}
}  // namespace

std::vector<Jump> full_rbf_jumps(const SharedRbf& problem, const RbfMoveOptions& options) {
  return jumps_of(*problem,
                  {.layout = problem->full_layout(),
                   .birth = std::make_shared<RbfBirth>(problem, true),
                   .split = std::make_shared<const SmoothMap>(
                       split_with_coefficients(problem->num_inputs, options.alpha)),
                   .split_auxiliary = std::make_shared<RbfSplit>(problem, options.alpha),
                   .merge_auxiliary = std::make_shared<RbfMerge>(problem)},
                  options);
}

std::vector<Jump> collapsed_rbf_jumps(const SharedRbf& problem, const RbfMoveOptions& options) {
  return jumps_of(*problem,
                  {.layout = problem->collapsed_layout(),
                   .birth = std::make_shared<RbfBirth>(problem, false),
                   .split = std::make_shared<const SmoothMap>(
                       split_positions(problem->num_inputs, options.alpha)),
                   .split_auxiliary = uniform_in_ball(problem->num_inputs)},
                  options);
}

}  // namespace credo::models
