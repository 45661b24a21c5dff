// Values of every row against an independent reference: the C library and Boost.Math in long double
// for elementwise rows, plain loops for the others. A row without a reference fails.
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions.hpp>
#include <set>

#include "graph/core/op.hpp"
#include "graph/core/special.hpp"
#include "graph/ops/linear_algebra.hpp"

namespace credo::graph {
namespace {

using Real = long double;
namespace bm = boost::math;

struct Point {
  Real a, b, c;
};
struct Reference {
  Real (*exact)(const Point&);
  std::vector<Point> points;
  double tolerance = 1e-14;  // of max(|value|, 1/8): a few units in the last place, wider where the
                             // reference is narrow
};

Real sigmoid(Real x) { return 1 / (1 + std::exp(-x)); }
Real normal_cdf(Real x) { return bm::erfc(-x / std::sqrt(Real(2))) / 2; }
Real log_p(Real a, Real x) { return std::log(bm::gamma_p(a, x)); }
Real log_q(Real a, Real x) { return std::log(bm::gamma_q(a, x)); }
Real log_i(Real a, Real b, Real z) { return std::log(bm::ibeta(a, b, sigmoid(z))); }
Real i_ratio(Real x) { return bm::cyl_bessel_i(1, x) / bm::cyl_bessel_i(0, x); }
// A derivative by five points: error h^4 f^(5)/30 + 1e-19 / h, about 1e-14 with h = 1e-3 for smooth
// functions of size 1.
template <class F>
Real slope(F f, Real x) {
  const Real h = 1e-3L;
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

const std::vector<Point> kReal{{-2.3L, 0, 0}, {-0.4L, 0, 0}, {0.7L, 0, 0}, {3.9L, 0, 0}};
const std::vector<Point> kPositive{{0.2L, 0, 0}, {1.3L, 0, 0}, {4.1L, 0, 0}, {25, 0, 0}};
const std::vector<Point> kUnit{{-0.8L, 0, 0}, {-0.1L, 0, 0}, {0.45L, 0, 0}, {0.9L, 0, 0}};
const std::vector<Point> kPairs{{0.3L, 1.7L, 0}, {2.5L, 0.6L, 0}, {8, 3.2L, 0}, {30, 12.5L, 0}};
const std::vector<Point> kSigned{
    {-1.2L, 0.7L, 0}, {0.4L, -2.1L, 0}, {3.3L, 3.1L, 0}, {-0.6L, -0.9L, 0}};
const std::vector<Point> kOrdered{{0.4L, -1.3L, 0}, {2.2L, 2.1L, 0}, {-3, -7, 0}};
const std::vector<Point> kOrders{{0, 0.7L, 0}, {1, 2.3L, 0}, {-3, 4.1L, 0}, {7, 12.5L, 0}};
Real log_bessel(Real nu, Real x) { return std::log(bm::cyl_bessel_i(nu, x)); }
Real log_bessel_by_order(Real nu, Real x) {
  return slope([&](Real v) { return log_bessel(v, x); }, nu);
}
const std::vector<Point> kTriples{{1.4L, 2.6L, 0.3L}, {0.7L, 3.1L, -1.2L}, {6, 4.5L, 0.8L}};

const std::map<std::string_view, Reference>& references() {
  static const std::map<std::string_view, Reference> table{
      {"bessel_i", {[](const Point& p) { return bm::cyl_bessel_i(p.a, p.b); }, kOrders, 1e-13}},
      {"bessel_j", {[](const Point& p) { return bm::cyl_bessel_j(p.a, p.b); }, kOrders, 1e-13}},
      {"bessel_k", {[](const Point& p) { return bm::cyl_bessel_k(p.a, p.b); }, kOrders, 1e-13}},
      {"bessel_y", {[](const Point& p) { return bm::cyl_neumann(p.a, p.b); }, kOrders, 1e-13}},
      {"fmod", {[](const Point& p) { return std::fmod(p.a, p.b); }, kSigned}},
      {"inv_inc_beta",
       {[](const Point& p) { return bm::ibeta_inv(p.a, p.b, p.c); },
        {{1.4L, 2.6L, 0.3L}, {0.7L, 3.1L, 0.9L}, {6, 4.5L, 0.01L}},
        1e-12}},
      {"lambert_w0",
       {[](const Point& p) { return bm::lambert_w0(p.a); },
        {{-0.3L, 0, 0}, {0.4L, 0, 0}, {30, 0, 0}}}},
      {"lambert_wm1",
       {[](const Point& p) { return bm::lambert_wm1(p.a); },
        {{-0.3L, 0, 0}, {-0.1L, 0, 0}, {-1e-8L, 0, 0}}}},
      {"log_bessel_i", {[](const Point& p) { return log_bessel(p.a, p.b); }, kPairs, 1e-12}},
      {"log_bessel_i_by_argument",
       {[](const Point& p) { return slope([&](Real x) { return log_bessel(p.a, x); }, p.b); },
        kPairs, 1e-10}},
      {"log_bessel_i_by_argument_twice",
       {[](const Point& p) {
          const auto once = [&](Real x) {
            return slope([&](Real z) { return log_bessel(p.a, z); }, x);
          };
          return slope(once, p.b);
        },
        kPairs, 1e-8}},
      {"log_bessel_i_by_both",
       {[](const Point& p) {
          return slope([&](Real x) { return log_bessel_by_order(p.a, x); }, p.b);
        },
        kPairs, 1e-8}},
      {"log_bessel_i_by_order",
       {[](const Point& p) { return log_bessel_by_order(p.a, p.b); }, kPairs, 1e-10}},
      {"log_bessel_i_by_order_twice",
       {[](const Point& p) {
          return slope([&](Real nu) { return log_bessel_by_order(nu, p.b); }, p.a);
        },
        kPairs, 1e-8}},
      {"owens_t", {[](const Point& p) { return bm::owens_t(p.a, p.b); }, kSigned}},
      {"student_t_quantile",
       {[](const Point& p) { return bm::quantile(bm::students_t_distribution<Real>(p.b), p.a); },
        {{0.01L, 3.5L, 0}, {0.4L, 1.2L, 0}, {0.97L, 12, 0}},
        1e-12}},
      {"abs", {[](const Point& p) { return std::abs(p.a); }, kReal}},
      {"acos", {[](const Point& p) { return std::acos(p.a); }, kUnit}},
      {"acosh", {[](const Point& p) { return std::acosh(1 + p.a); }, {}}},  // below, shifted
      {"add", {[](const Point& p) { return p.a + p.b; }, kSigned}},
      {"asin", {[](const Point& p) { return std::asin(p.a); }, kUnit}},
      {"asinh", {[](const Point& p) { return std::asinh(p.a); }, kReal}},
      {"atan", {[](const Point& p) { return std::atan(p.a); }, kReal}},
      {"atan2", {[](const Point& p) { return std::atan2(p.a, p.b); }, kSigned}},
      {"atanh", {[](const Point& p) { return std::atanh(p.a); }, kUnit}},
      {"bessel_ratio", {[](const Point& p) { return i_ratio(p.a); }, kPositive}},
      {"bessel_ratio_1", {[](const Point& p) { return slope(i_ratio, p.a); }, kPositive, 1e-11}},
      {"bessel_ratio_2",
       {[](const Point& p) { return slope([](Real x) { return slope(i_ratio, x); }, p.a); },
        kPositive, 1e-9}},
      {"cbrt", {[](const Point& p) { return std::cbrt(p.a); }, kReal}},
      {"ceil", {[](const Point& p) { return std::ceil(p.a); }, kReal}},
      {"cos", {[](const Point& p) { return std::cos(p.a); }, kReal}},
      {"cosh", {[](const Point& p) { return std::cosh(p.a); }, kReal}},
      {"digamma", {[](const Point& p) { return bm::digamma(p.a); }, kPositive}},
      {"digamma_delta",
       {[](const Point& p) { return bm::digamma(p.a + p.b) - bm::digamma(p.a); }, kPairs}},
      {"digamma_excess",
       {[](const Point& p) { return bm::digamma(p.a + p.b) - bm::digamma(p.a) - p.b / p.a; },
        kPairs, 1e-13}},
      {"digamma_less_log",
       {[](const Point& p) { return bm::digamma(p.a) - std::log(p.a); }, kPositive}},
      {"div", {[](const Point& p) { return p.a / p.b; }, kSigned}},
      {"equal", {[](const Point& p) { return Real(p.a == p.b); }, {{1, 1, 0}, {1, 2, 0}}}},
      {"erf", {[](const Point& p) { return bm::erf(p.a); }, kReal}},
      {"erfc", {[](const Point& p) { return bm::erfc(p.a); }, kReal}},
      {"exp", {[](const Point& p) { return std::exp(p.a); }, kReal}},
      {"exp2", {[](const Point& p) { return std::exp2(p.a); }, kReal}},
      {"expm1", {[](const Point& p) { return std::expm1(p.a); }, kReal}},
      {"floor", {[](const Point& p) { return std::floor(p.a); }, kReal}},
      {"fmax", {[](const Point& p) { return std::fmax(p.a, p.b); }, kSigned}},
      {"fmin", {[](const Point& p) { return std::fmin(p.a, p.b); }, kSigned}},
      {"hypot", {[](const Point& p) { return std::hypot(p.a, p.b); }, kSigned}},
      {"inv_logit", {[](const Point& p) { return sigmoid(p.a); }, kReal}},
      {"inv_phi",
       {[](const Point& p) { return -std::sqrt(Real(2)) * bm::erfc_inv(2 * p.a); },
        {{0.001L, 0, 0}, {0.3L, 0, 0}, {0.97L, 0, 0}}}},
      {"inverse_mills",
       {[](const Point& p) {
          return std::exp(-p.a * p.a / 2) / std::sqrt(2 * bm::constants::pi<Real>()) /
                 normal_cdf(p.a);
        },
        kReal}},
      {"lbeta", {[](const Point& p) { return std::log(bm::beta(p.a, p.b)); }, kPairs}},
      {"lchoose",
       {[](const Point& p) {
          return -std::log(bm::beta(p.a - p.b + 1, p.b + 1)) - std::log1p(p.a);
        },
        {{5, 2, 0}, {12.5L, 3.2L, 0}, {40, 17, 0}},
        1e-13}},
      {"less", {[](const Point& p) { return Real(p.a < p.b); }, {{1, 1, 0}, {1, 2, 0}, {2, 1, 0}}}},
      {"less_equal",
       {[](const Point& p) { return Real(p.a <= p.b); }, {{1, 1, 0}, {1, 2, 0}, {2, 1, 0}}}},
      {"lgamma", {[](const Point& p) { return bm::lgamma(p.a); }, kPositive}},
      {"lgamma_delta",
       {[](const Point& p) { return bm::lgamma(p.a + p.b) - bm::lgamma(p.a); }, kPairs}},
      {"lgamma_excess",
       {[](const Point& p) {
          return bm::lgamma(p.a + p.b) - bm::lgamma(p.a) - p.b * std::log(p.a);
        },
        kPairs, 1e-13}},
      {"log", {[](const Point& p) { return std::log(p.a); }, kPositive}},
      {"log10", {[](const Point& p) { return std::log10(p.a); }, kPositive}},
      {"log1m_exp",
       {[](const Point& p) { return std::log(-std::expm1(-p.a)); }, {}}},  // below, negated
      {"log1p", {[](const Point& p) { return std::log1p(p.a); }, kUnit}},
      {"log1p_exp", {[](const Point& p) { return std::log1p(std::exp(p.a)); }, kReal}},
      {"log1pmx", {[](const Point& p) { return std::log1p(p.a) - p.a; }, kUnit}},
      {"log2", {[](const Point& p) { return std::log2(p.a); }, kPositive}},
      {"log_bessel_i0",
       {[](const Point& p) { return std::log(bm::cyl_bessel_i(0, p.a)); }, kPositive}},
      {"log_diff_exp",
       {[](const Point& p) { return p.a + std::log(-std::expm1(p.b - p.a)); }, kOrdered}},
      {"log_gamma_p", {[](const Point& p) { return log_p(p.a, p.b); }, kPairs, 1e-12}},
      {"log_gamma_p_shape",
       {[](const Point& p) { return slope([&](Real a) { return log_p(a, p.b); }, p.a); }, kPairs,
        1e-8}},
      {"log_gamma_q", {[](const Point& p) { return log_q(p.a, p.b); }, kPairs, 1e-12}},
      {"log_gamma_q_shape",
       {[](const Point& p) { return slope([&](Real a) { return log_q(a, p.b); }, p.a); }, kPairs,
        1e-8}},
      {"log_inc_beta", {[](const Point& p) { return log_i(p.a, p.b, p.c); }, kTriples, 1e-12}},
      {"log_inc_beta_by_a",
       {[](const Point& p) { return slope([&](Real a) { return log_i(a, p.b, p.c); }, p.a); },
        kTriples, 1e-9}},
      {"log_inc_beta_by_b",
       {[](const Point& p) { return slope([&](Real b) { return log_i(p.a, b, p.c); }, p.b); },
        kTriples, 1e-9}},
      {"log_inv_logit", {[](const Point& p) { return -std::log1p(std::exp(-p.a)); }, kReal}},
      {"log_inv_logit_diff",
       {[](const Point& p) { return std::log(sigmoid(p.a) - sigmoid(p.b)); }, kOrdered, 1e-13}},
      {"log_phi", {[](const Point& p) { return std::log(normal_cdf(p.a)); }, kReal}},
      {"log_sum_exp",
       {[](const Point& p) { return std::log(std::exp(p.a) + std::exp(p.b)); }, kSigned}},
      {"mul", {[](const Point& p) { return p.a * p.b; }, kSigned}},
      {"multiply_log",
       {[](const Point& p) { return p.a == 0 ? 0 : p.a * std::log(p.b); },
        {{2.5L, 0.3L, 0}, {0, 0, 0}}}},
      {"neg", {[](const Point& p) { return -p.a; }, kReal}},
      {"pentagamma", {[](const Point& p) { return bm::polygamma(3, p.a); }, kPositive, 1e-13}},
      {"phi", {[](const Point& p) { return normal_cdf(p.a); }, kReal}},
      {"pow", {[](const Point& p) { return std::pow(p.a, p.b); }, kPairs}},
      {"round", {[](const Point& p) { return std::round(p.a); }, kReal}},
      {"scaled_log1p", {[](const Point& p) { return p.a * std::log1p(p.b / p.a); }, kPairs}},
      {"scaled_log1p_exp",
       {[](const Point& p) { return p.a * std::log1p(std::exp(p.b) / p.a); }, kPairs}},
      {"select", {[](const Point& p) { return p.a != 0 ? p.b : p.c; }, {{1, 2, 3}, {0, 2, 3}}}},
      {"sin", {[](const Point& p) { return std::sin(p.a); }, kReal}},
      {"sinh", {[](const Point& p) { return std::sinh(p.a); }, kReal}},
      {"sqrt", {[](const Point& p) { return std::sqrt(p.a); }, kPositive}},
      {"square", {[](const Point& p) { return p.a * p.a; }, kReal}},
      {"sub", {[](const Point& p) { return p.a - p.b; }, kSigned}},
      {"tan", {[](const Point& p) { return std::tan(p.a); }, kReal}},
      {"tanh", {[](const Point& p) { return std::tanh(p.a); }, kReal}},
      {"tetragamma", {[](const Point& p) { return bm::polygamma(2, p.a); }, kPositive, 1e-13}},
      {"trigamma", {[](const Point& p) { return bm::trigamma(p.a); }, kPositive}},
      {"trigamma_excess",
       {[](const Point& p) {
          return bm::trigamma(p.a + p.b) - bm::trigamma(p.a) + p.b / (p.a * p.a);
        },
        kPairs, 1e-13}},
      {"trunc", {[](const Point& p) { return std::trunc(p.a); }, kReal}},
  };
  return table;
}

// Rows whose reference is a loop in a test of its own, further down or in a file of its own.
const std::set<std::string_view> kByLoops{"broadcast",
                                          "cholesky",
                                          "cholesky_adjoint",
                                          "concat",
                                          "cumulative_sum",
                                          "determinant",
                                          "dot",
                                          "first_equal",
                                          "gather",
                                          "hypergeometric",
                                          "hypergeometric_by_shapes",
                                          "log_abs_determinant",
                                          "log_sum_exp_all",
                                          "lower_outer",
                                          "matmul",
                                          "matrix_exp",
                                          "max_element",
                                          "min_element",
                                          "order_places",
                                          "pack",
                                          "prod",
                                          "prod_others",
                                          "put",
                                          "qr",
                                          "row_dots",
                                          "scatter_add",
                                          "singular_values",
                                          "solve",
                                          "solve_lower",
                                          "sum",
                                          "sum_log1p_exp",
                                          "symmetric_eigen",
                                          "take"};

double computed(const Op& op, const Point& p) {
  const std::array<Expr, 3> in{static_cast<double>(p.a), static_cast<double>(p.b),
                               static_cast<double>(p.c)};
  return apply(op, std::span(in).first(static_cast<std::size_t>(op.arity))).value();
}
// What the row really gets: the points as doubles.
Point rounded(const Point& p) {
  return {static_cast<double>(p.a), static_cast<double>(p.b), static_cast<double>(p.c)};
}
std::vector<Point> points_of(std::string_view name, const Reference& reference) {
  if (name == "acosh") return {{1.2L, 0, 0}, {3.5L, 0, 0}, {40, 0, 0}};
  if (name == "log1m_exp") return {{-0.01L, 0, 0}, {-0.9L, 0, 0}, {-12, 0, 0}};
  return reference.points;
}
Real exact_at(std::string_view name, const Reference& reference, const Point& p) {
  if (name == "acosh") return std::acosh(p.a);
  if (name == "log1m_exp") return std::log(-std::expm1(p.a));
  return reference.exact(p);
}

bool agrees(const Op& op, const Reference& reference, const Point& point, double factor = 1.0) {
  const Point p = rounded(point);
  const Real exact = exact_at(op.name, reference, p);
  const Real found = static_cast<Real>(computed(op, p)) * factor;
  return std::abs(found - exact) <=
         static_cast<Real>(reference.tolerance) * std::max(std::abs(exact), Real(0.125));
}

TEST(values, of_every_elementwise_row_agree_with_the_reference) {
  for (const Op* op : op_table()) {
    if (op->kind != OpKind::elementwise) continue;
    const auto row = references().find(op->name);
    if (row == references().end()) {
      ADD_FAILURE() << op->name << " has no reference";
      continue;
    }
    for (const Point& p : points_of(op->name, row->second)) {
      EXPECT_TRUE(agrees(*op, row->second, p))
          << op->name << "(" << double(p.a) << ", " << double(p.b) << ", " << double(p.c)
          << ") = " << ::testing::PrintToString(computed(*op, p)) << ", reference "
          << ::testing::PrintToString(double(exact_at(op->name, row->second, rounded(p))));
    }
  }
}

TEST(values, of_every_general_row_have_a_loop) {
  for (const Op* op : op_table()) {
    const bool runs_routine = op->name.starts_with("routine");  // tests/graph/routine_test.cpp
    if (op->kind != OpKind::general || runs_routine) continue;
    EXPECT_TRUE(kByLoops.contains(op->name)) << op->name;
  }
}

// Power: a value that is off by 1e-7 of itself is rejected for every row, whatever its tolerance.
TEST(values, that_are_off_by_a_ten_millionth_are_rejected) {
  for (const auto& [name, reference] : references()) {
    const Op& op = *find_op(name);
    bool rejected = false;
    for (const Point& p : points_of(name, reference))
      rejected |= !agrees(op, reference, p, 1.0 + 1e-7);
    EXPECT_TRUE(rejected) << name;
  }
}

// ---- rows of containers

Expr vec(std::vector<double> values) { return constant(vector_shape(std::ssize(values)), values); }
Expr mat(Index rows, Index cols, std::vector<double> by_columns) {
  return constant(matrix_shape(rows, cols), by_columns);
}
std::vector<double> list(const Expr& x) { return {x.values().begin(), x.values().end()}; }

TEST(values, of_reductions_are_those_of_loops) {
  const Expr x = vec({1.5, -2.0, 4.0, 0.25}), y = vec({2.0, 3.0, -1.0, 8.0});
  EXPECT_EQ(sum(x).value(), 3.75);
  EXPECT_EQ(dot(x, y).value(), 3.0 - 6.0 - 4.0 + 2.0);
  EXPECT_EQ(prod(x).value(), -3.0);
  EXPECT_EQ(max_element(x).value(), 4.0);
  EXPECT_EQ(min_element(x).value(), -2.0);
  EXPECT_EQ(list(cumulative_sum(x)), (std::vector<double>{1.5, -0.5, 3.5, 3.75}));
  EXPECT_EQ(list(apply(*find_op("prod_others"), {x})),
            (std::vector<double>{-2.0, 1.5, -0.75, -12.0}));
  EXPECT_EQ(list(apply(*find_op("first_equal"), {vec({1, 7, 7}), 7.0})),
            (std::vector<double>{0, 1, 0}));
  const double exact = std::log(std::exp(1.5) + std::exp(-2.0) + std::exp(4.0) + std::exp(0.25));
  EXPECT_NEAR(log_sum_exp(x).value(), exact, 4e-15);
}

TEST(general_rows, dots_of_rows_have_the_bits_of_dot) {
  constexpr Index kRows = 11;
  for (const Index size : {1, 3, 8, 9, 17, 1500}) {
    std::vector<double> x, b;
    for (Index i = 0; i < kRows * size; ++i) x.push_back(std::sin(0.7 * double(i) + 1.0));
    for (Index i = 0; i < size; ++i) b.push_back(std::exp(std::cos(1.9 * double(i))));
    const Expr all = constant(matrix_shape(kRows, size), x),
               weights = constant(vector_shape(size), b);
    const Expr dots = row_dots(all, weights);
    for (Index i = 0; i < kRows; ++i) {
      std::vector<double> row;
      for (Index k = 0; k < size; ++k) row.push_back(x[static_cast<std::size_t>(k * kRows + i)]);
      EXPECT_EQ(dots.value(i), dot(constant(vector_shape(size), row), weights).value()) << size;
    }
  }
}

TEST(values, of_order_places_sort_with_equal_ones_kept_and_nan_last) {
  const Expr x = vec({1.5, -2.0, kNaN, 1.5, -0.0, 0.0, -kInfinity});
  EXPECT_EQ(list(order_places(x)), (std::vector<double>{6, 1, 4, 5, 0, 3, 2}));
  EXPECT_EQ(order_places(vec({})).size(), 0);
}

// 2F1(1, 1; 2; z) = -log(1 - z)/z; 2F1(a, b; b; z) = (1 - z)^-a, so by a it is -log(1 - z) of that;
// 2F1(2, -3; 1.7; z) is a polynomial of degree 3.
TEST(values, of_hypergeometric_series_are_closed_forms) {
  const double z = 0.6;
  EXPECT_NEAR(hypergeometric(vec({1, 1}), vec({2}), z).value(), -std::log1p(-z) / z, 1e-14);
  EXPECT_NEAR(hypergeometric(vec({}), vec({}), z).value(), std::exp(z), 1e-14);
  const double power = std::pow(1 - z, -1.3);
  const Expr by = apply(*find_op("hypergeometric_by_shapes"), {vec({1.3, 0.7}), vec({0.7}), z});
  EXPECT_NEAR(hypergeometric(vec({1.3, 0.7}), vec({0.7}), z).value(), power, 1e-14);
  EXPECT_NEAR(by.value(0), -std::log1p(-z) * power, 1e-13);
  EXPECT_NEAR(by.value(1), -by.value(2), 1e-13);
  double polynomial = 1.0, term = 1.0;
  for (int n = 0; n < 3; ++n) {
    term *= (2.0 + n) * (-3.0 + n) / (1.7 + n) * 4.0 / (n + 1.0);
    polynomial += term;
  }
  EXPECT_NEAR(hypergeometric(vec({2, -3}), vec({1.7}), 4.0).value(), polynomial, 1e-11);
  EXPECT_TRUE(std::isnan(hypergeometric(vec({1, 1}), vec({2}), 1.5).value()));
}

TEST(values, of_empty_containers_are_the_neutral_elements) {
  const Expr none = vec({});
  EXPECT_EQ(sum(none).value(), 0.0);
  EXPECT_EQ(dot(none, none).value(), 0.0);
  EXPECT_EQ(prod(none).value(), 1.0);
  EXPECT_EQ(max_element(none).value(), -kInfinity);
  EXPECT_EQ(min_element(none).value(), kInfinity);
  EXPECT_EQ(log_sum_exp(none).value(), -kInfinity);
  EXPECT_EQ(cumulative_sum(none).size(), 0);
  EXPECT_EQ(matmul(mat(2, 0, {}), mat(0, 1, {})).size(), 2);
  EXPECT_EQ(list(matmul(mat(2, 0, {}), mat(0, 1, {}))), (std::vector<double>{0, 0}));
  EXPECT_EQ(cholesky(mat(0, 0, {})).size(), 0);
}

TEST(values, of_reductions_let_nan_and_infinities_through) {
  const Expr broken = vec({1.0, kNaN, 3.0});
  for (const Expr& e :
       {sum(broken), dot(broken, broken), prod(broken), max_element(broken), min_element(broken),
        log_sum_exp(broken), cumulative_sum(broken).element(2)}) {
    EXPECT_TRUE(std::isnan(e.value()));
  }
  EXPECT_EQ(sum(vec({1.0, kInfinity})).value(), kInfinity);
  EXPECT_EQ(log_sum_exp(vec({1.0, kInfinity})).value(), kInfinity);
  EXPECT_EQ(log_sum_exp(vec({-kInfinity, 2.0})).value(), 2.0);
  EXPECT_TRUE(std::isnan(cholesky(mat(1, 1, {-1.0})).value()));
  EXPECT_TRUE(std::isnan(matmul(mat(1, 2, {1.0, kNaN}), vec({1.0, 1.0})).value()));
}

TEST(values, of_rows_that_move_elements_are_where_they_belong) {
  const Expr x = vec({5, 6, 7});
  EXPECT_EQ(list(gather(vector_shape(4), x, {2, 0, 0, 1})), (std::vector<double>{7, 5, 5, 6}));
  EXPECT_EQ(list(scatter_add(vector_shape(3), vec({1, 2, 4, 8}), {2, 0, 2, 1})),
            (std::vector<double>{2, 8, 5}));
  EXPECT_EQ(list(concat(vector_shape(5), std::array{x, vec({1, 2})})),
            (std::vector<double>{5, 6, 7, 1, 2}));
  EXPECT_EQ(list(pack(vector_shape(2), std::array{Expr(3.0), Expr(4.0)})),
            (std::vector<double>{3, 4}));
  EXPECT_EQ(list(broadcast(vector_shape(3), 2.5)), (std::vector<double>{2.5, 2.5, 2.5}));
  EXPECT_EQ(list(transpose(mat(2, 3, {1, 2, 3, 4, 5, 6}))),
            (std::vector<double>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(list(take(x, vec({2, 0, 0, 1}))), (std::vector<double>{7, 5, 5, 6}));
  EXPECT_EQ(list(put(vector_shape(3), vec({1, 2, 4, 8}), vec({2, 0, 2, 1}))),
            (std::vector<double>{2, 8, 5}));
  for (const double nowhere : {-1.0, 3.0, 0.5, kNaN, kInfinity}) {
    EXPECT_TRUE(std::isnan(take(x, nowhere).value()));
    EXPECT_EQ(list(put(vector_shape(2), vec({1}), vec({nowhere}))), (std::vector<double>{0, 0}));
  }
}

TEST(values, of_products_are_those_of_loops_in_all_four_forms) {
  const Expr a = mat(2, 3, {1, 2, 3, 4, 5, 6}), b = mat(3, 2, {2, 0, 1, -1, 3, 2});
  const std::vector<double> expected{1 * 2 + 3 * 0 + 5 * 1, 2 * 2 + 4 * 0 + 6 * 1, -1 + 9 + 10,
                                     -2 + 12 + 12};
  EXPECT_EQ(list(matmul(a, b)), expected);
  EXPECT_EQ(list(matmul(transpose(a), b, true, false)), expected);
  EXPECT_EQ(list(matmul(a, transpose(b), false, true)), expected);
  EXPECT_EQ(list(matmul(transpose(a), transpose(b), true, true)), expected);
}

TEST(values, of_factors_and_solves_undo_the_product) {
  const Expr l = mat(3, 3, {2, 0.5, -1, 0, 1.5, 0.25, 0, 0, 3});
  const Expr a = matmul(l, l, false, true);
  const Expr factor = cholesky(a), x = mat(3, 2, {1, 2, 3, -1, 0.5, 4});
  for (Index i = 0; i < 9; ++i) EXPECT_NEAR(factor.value(i), l.value(i), 1e-15);
  const Expr forward = solve_lower(l, matmul(l, x)),
             backward = solve_lower(l, matmul(l, x, true, false), true);
  for (Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(forward.value(i), x.value(i), 1e-14);
    EXPECT_NEAR(backward.value(i), x.value(i), 1e-14);
  }
}

// The adjoint's S is symmetric and the lower triangle of S L is G; the row gives S/2 on the
// diagonal.
TEST(values, of_the_adjoint_of_a_factor_solve_its_equation) {
  const Expr l = mat(3, 3, {2, 0.5, -1, 0, 1.5, 0.25, 0, 0, 3}),
             g = mat(3, 3, {1, -2, 0.5, 0, 3, 1.5, 0, 0, -1});
  const Expr out = apply(*find_op("cholesky_adjoint"), {l, g}, {{3}, {}});
  const Expr product = matmul(out + transpose(out), l);
  for (Index j = 0; j < 3; ++j) {
    for (Index i = 0; i < 3; ++i) {
      const double found = i >= j ? product.value(i + 3 * j) : out.value(i + 3 * j);
      EXPECT_NEAR(found, i >= j ? g.value(i + 3 * j) : 0.0, 1e-14);
    }
  }
}

TEST(values, of_lower_outer_are_minus_the_products_below_the_diagonal) {
  const Expr a = mat(2, 1, {2, 3}), b = mat(2, 1, {5, 7});
  EXPECT_EQ(list(apply(*find_op("lower_outer"), {a, b}, {{2, 1}, {}})),
            (std::vector<double>{-10, -15, 0, -21}));
}

void expect_near(const Expr& found, const Expr& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.value(i), expected.value(i), tolerance) << i;
}
Expr diagonal_of(const Expr& values) {
  const Index n = values.size();
  std::vector<std::int32_t> index;
  for (Index i = 0; i < n; ++i) index.push_back(static_cast<std::int32_t>(i + i * n));
  return scatter_add(matrix_shape(n, n), values, std::move(index));
}

TEST(values, of_solves_and_determinants_are_those_of_two_by_two_formulas) {
  const Expr a = mat(2, 2, {3, 1, -2, 4}), b = mat(2, 2, {5, -1, 2, 7});  // determinant 14
  expect_near(matmul(a, solve(a, b)), b, 1e-14);
  expect_near(matmul(a, solve(a, b, true), true), b, 1e-14);
  EXPECT_NEAR(determinant(a).value(), 14.0, 1e-14);
  EXPECT_NEAR(log_abs_determinant(mat(2, 2, {0, 2, 3, 1})).value(), std::log(6.0), 1e-15);
  EXPECT_EQ(determinant(mat(0, 0, {})).value(), 1.0);
}

TEST(values, of_decompositions_multiply_back) {
  const Expr a = mat(3, 3, {4, 1, -0.5, 1, 2, 0.25, -0.5, 0.25, 1});
  const SymmetricEigen e = symmetric_eigen(a);
  expect_near(matmul(matmul(e.vectors, diagonal_of(e.values)), e.vectors, false, true), a, 1e-14);
  for (const Expr& b : {mat(3, 2, {1, 2, 3, -1, 0.5, 4}), mat(2, 3, {1, 2, 3, -1, 0.5, 4})}) {
    const SingularValues s = singular_values(b);
    expect_near(matmul(matmul(s.u, diagonal_of(s.values)), s.v, false, true), b, 1e-14);
    const QrFactors f = qr_factors(b);
    expect_near(matmul(f.q, f.r), b, 1e-14);
  }
}

// exp of [[0, -t], [t, 0]] is a rotation by t.
TEST(values, of_the_exponential_of_a_turn_is_the_rotation) {
  const double t = 2.5;
  expect_near(matrix_exp(mat(2, 2, {0, t, -t, 0})),
              mat(2, 2, {std::cos(t), std::sin(t), -std::sin(t), std::cos(t)}), 1e-14);
}

}  // namespace
}  // namespace credo::graph
