// Covariance functions of Gaussian processes [rasmussen2006, section 4.2.1].
#include <fmt/format.h>

#include "lang/builtins/matrix.hpp"
#include "lang/trace/builtins.hpp"

namespace credo::lang {
namespace {

// The points of a covariance matrix: arrays of reals or of vectors; y is x where only one is given.
struct Points {
  const BuiltinCall& c;
  const Value& x;
  const Value& y;
  std::size_t first;  // argument behind the points

  Index rows() const { return dims_of(x)[0]; }
  Index cols() const { return dims_of(y)[0]; }
  Index dimension() const { return rows() == 0 ? 1 : size_of(x) / rows(); }
  graph::Shape shape() const { return graph::matrix_shape(rows(), cols()); }
};

// A function takes `count` arguments behind its points.
Points points_of(const BuiltinCall& c, std::size_t count) {
  const std::size_t first = c.size() - count;
  const Points p{c, c[0], c[first - 1], first};
  const Index dimension = p.cols() == 0 ? p.dimension() : size_of(p.y) / p.cols();
  if (p.rows() != 0 && dimension != p.dimension()) {
    c.machine.fail(
        fmt::format("{}: points of {} and of {} dimensions", c.name, p.dimension(), dimension));
  }
  return p;
}

// Coordinate k of every x along the columns, or of every y along the rows.
Expr coordinates(const Points& p, Index k, bool of_x) {
  const graph::Shape shape = p.shape();
  std::vector<std::int32_t> index;
  for (Index j = 0; j < shape.cols; ++j) {
    for (Index i = 0; i < shape.rows; ++i)
      index.push_back(narrow((of_x ? i : j) * p.dimension() + k));
  }
  return graph::gather(shape, p.c.machine.expr(of_x ? p.x : p.y), std::move(index));
}

// sum over k of ((x_k - y_k) / rho_k)^2. With one length scale the sum of squares comes first: with
// known points it is a constant.
Expr squared_distances(const Points& p, const Expr& lengthscale) {
  const bool one = lengthscale.is_scalar();
  if (!one && lengthscale.size() != p.dimension()) {
    p.c.machine.fail(fmt::format("{}: {} length scales for {} dimensions", p.c.name,
                                 lengthscale.size(), p.dimension()));
  }
  const Expr weight = 1.0 / graph::square(lengthscale);
  Expr total = graph::fill(p.shape(), 0.0);
  for (Index k = 0; k < p.dimension(); ++k) {
    const Expr square = graph::square(coordinates(p, k, true) - coordinates(p, k, false));
    total = total + (one ? square : square * weight.element(k));
  }
  return one ? total * weight : total;
}

// The root with derivative 0 at 0: a distance of a point to itself stays 0 whatever the lengths.
Expr root(const Expr& x) {
  const Expr zero = graph::equal(x, 0.0);
  return graph::select(zero, 0.0, graph::sqrt(graph::select(zero, 1.0, x)));
}

void check_positive(const BuiltinCall& c, std::size_t k, std::string_view what) {
  c.machine.checks().greater(c.expr(k), 0.0, {c.name, what, "positive"});
}

// alpha^2 f(squared distance in units of the length scales)
template <class F>
Value stationary(const BuiltinCall& c, F f) {
  const Points p = points_of(c, 2);
  check_positive(c, p.first, "magnitude");
  check_positive(c, p.first + 1, "length scale");
  const Expr amplitude = graph::square(c.expr(p.first));
  if (p.rows() * p.cols() == 0) return matrix(graph::fill(p.shape(), 0.0), p.rows(), p.cols());
  const Expr distances = squared_distances(p, c.expr(p.first + 1));
  return matrix(amplitude * f(distances), p.rows(), p.cols());
}

Value gp_exp_quad_cov(const BuiltinCall& c) {
  return stationary(c, [](const Expr& square) { return graph::exp(-0.5 * square); });
}
Value gp_exponential_cov(const BuiltinCall& c) {
  return stationary(c, [](const Expr& square) { return graph::exp(-root(square)); });
}
Value gp_matern32_cov(const BuiltinCall& c) {
  return stationary(c, [](const Expr& square) {
    const Expr r = root(3.0 * square);
    return (1.0 + r) * graph::exp(-r);
  });
}
Value gp_matern52_cov(const BuiltinCall& c) {
  return stationary(c, [](const Expr& square) {
    const Expr r = root(5.0 * square);
    return (1.0 + r + (5.0 / 3.0) * square) * graph::exp(-r);
  });
}

// alpha^2 exp(-2 sin^2(pi |x - y| / period) / rho^2)
Value gp_periodic_cov(const BuiltinCall& c) {
  constexpr double kPi = 3.14159265358979323846;
  const Points p = points_of(c, 3);
  check_positive(c, p.first, "magnitude");
  check_positive(c, p.first + 1, "length scale");
  check_positive(c, p.first + 2, "period");
  if (p.rows() * p.cols() == 0) return matrix(graph::fill(p.shape(), 0.0), p.rows(), p.cols());
  const Expr distance = root(squared_distances(p, 1.0));
  const Expr wave = graph::sin(kPi * distance / c.expr(p.first + 2));
  const Expr scale = -2.0 / graph::square(c.expr(p.first + 1));
  return matrix(graph::square(c.expr(p.first)) * graph::exp(scale * graph::square(wave)), p.rows(),
                p.cols());
}

// sigma^2 + x . y
Value gp_dot_prod_cov(const BuiltinCall& c) {
  const Points p = points_of(c, 1);
  c.machine.checks().greater_equal(c.expr(p.first), 0.0, {c.name, "sigma", "nonnegative"});
  Expr total = graph::fill(p.shape(), 0.0);
  for (Index k = 0; k < p.dimension() && p.rows() * p.cols() > 0; ++k)
    total = total + coordinates(p, k, true) * coordinates(p, k, false);
  return matrix(graph::square(c.expr(p.first)) + total, p.rows(), p.cols());
}

constexpr Builtin kGaussianProcessRows[] = {
    {"gp_dot_prod_cov", gp_dot_prod_cov},       {"gp_exp_quad_cov", gp_exp_quad_cov},
    {"gp_exponential_cov", gp_exponential_cov}, {"gp_matern32_cov", gp_matern32_cov},
    {"gp_matern52_cov", gp_matern52_cov},       {"gp_periodic_cov", gp_periodic_cov},
};
}  // namespace

std::span<const Builtin> builtins_gaussian_process() { return kGaussianProcessRows; }

}  // namespace credo::lang
