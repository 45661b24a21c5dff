// The table of covariance functions: each row against its formula in plain numbers, symmetry, eigenvalues, values at 0 and derivatives.
#include "dist/covariance.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "base/rng.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "support/reference.hpp"

namespace credo::dist::covariance_test {
namespace {
using Numbers = std::vector<double>;
using Point = std::span<const double>;
constexpr Index kDimension = 2;
constexpr double kRounding = 1e-12;  // of sums of a few terms of size 1

// ---- formulas, at hyper-parameters p; length scales come one for each coordinate

double distance(Point x, Point y, Point scales) {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k)
    sum += std::pow((x[k] - y[k]) / scales[scales.size() == 1 ? 0 : k], 2.0);
  return std::sqrt(sum);
}
struct Formula {
  std::string_view name;
  double (*value)(Point x, Point y, Point p);
};
constexpr std::array<Formula, 6> kFormulas{{
    {"dot_prod", [](Point x, Point y, Point p) { return p[0] * p[0] + x[0] * y[0] + x[1] * y[1]; }},
    {"exp_quad",
     [](Point x, Point y, Point p) {
       const double r = distance(x, y, p.subspan(1));
       return p[0] * p[0] * std::exp(-0.5 * r * r);
     }},
    {"exponential", [](Point x, Point y,
                       Point p) { return p[0] * p[0] * std::exp(-distance(x, y, p.subspan(1))); }},
    {"matern32",
     [](Point x, Point y, Point p) {
       const double r = std::sqrt(3.0) * distance(x, y, p.subspan(1));
       return p[0] * p[0] * (1.0 + r) * std::exp(-r);
     }},
    {"matern52",
     [](Point x, Point y, Point p) {
       const double r = std::sqrt(5.0) * distance(x, y, p.subspan(1));
       return p[0] * p[0] * (1.0 + r + r * r / 3.0) * std::exp(-r);
     }},
    {"periodic",
     [](Point x, Point y, Point p) {
       const double wave =
           std::sin(std::numbers::pi * distance(x, y, std::array{1.0}) / p[2]) / p[1];
       return p[0] * p[0] * std::exp(-2.0 * wave * wave);
     }},
}};

// ---- the suite

struct Trial {
  const Covariance& row;
  Numbers x, y, parameters;  // points one after another; parameters in the row's order

  std::vector<Expr> expressions() const {
    std::vector<Expr> all;
    std::size_t next = 0;
    for (const HyperParameter& p : row.parameters) {
      const std::size_t size = p.by_coordinate ? kDimension : 1;
      const auto own = std::span(parameters).subspan(next, size);
      all.push_back(
          size == 1 ? Expr(own[0])
                    : graph::constant(graph::vector_shape(kDimension), {own.begin(), own.end()}));
      next += size;
    }
    return all;
  }
};

PairsOfPoints pairs_of(const Numbers& x, const Numbers& y) {
  const Index rows = ssize(x) / kDimension, cols = ssize(y) / kDimension;
  const auto coordinate = [rows, cols](const Numbers& points, bool of_x) {
    return [=](Index k) {
      Numbers values;
      for (Index j = 0; j < cols; ++j)
        for (Index i = 0; i < rows; ++i)
          values.push_back(points[static_cast<std::size_t>((of_x ? i : j) * kDimension + k)]);
      return graph::constant(graph::matrix_shape(rows, cols), std::move(values));
    };
  };
  return {.shape = graph::matrix_shape(rows, cols),
          .dimension = kDimension,
          .x = coordinate(x, true),
          .y = coordinate(y, false)};
}

numerics::DenseMatrix matrix_of(const Trial& t, const Numbers& x, const Numbers& y) {
  const Expr values = t.row.matrix(pairs_of(x, y), t.expressions());
  return {values.shape().rows, values.shape().cols,
          Numbers(values.values().begin(), values.values().end())};
}

double largest_of(const numerics::DenseMatrix& a) {
  double most = 0.0;
  for (const double x : a.values)
    most = std::isfinite(x) ? std::max(most, std::fabs(x)) : kInfinity;
  return most;
}

bool has_the_formula(const Trial& t) {
  const auto* formula = std::ranges::find(kFormulas, t.row.name, &Formula::name);
  if (formula == kFormulas.end()) return false;
  const numerics::DenseMatrix found = matrix_of(t, t.x, t.y);
  for (Index j = 0; j < found.cols; ++j) {
    for (Index i = 0; i < found.rows; ++i) {
      const double expected =
          formula->value(Point(t.x).subspan(static_cast<std::size_t>(2 * i), 2),
                         Point(t.y).subspan(static_cast<std::size_t>(2 * j), 2), t.parameters);
      if (!(std::fabs(found(i, j) - expected) <= kRounding * largest_of(found))) return false;
    }
  }
  return true;
}

bool is_positive_semi_definite(const Trial& t) {
  Numbers x = t.x;
  for (std::size_t k = 1; t.row.only_on_a_line && k < x.size(); k += kDimension) x[k] = 0.0;
  const numerics::SymmetricEigen eigen(matrix_of(t, x, x));
  return eigen.values.front() >= -kRounding * eigen.values.back();
}

// The value depends on x - y, and is largest where that is 0.
bool is_stationary(const Trial& t) {
  Numbers x = t.x, y = t.y;
  for (Numbers* points : {&x, &y})
    for (double& value : *points) value += 2.5;
  const numerics::DenseMatrix here = matrix_of(t, t.x, t.y), there = matrix_of(t, x, y),
                              own = matrix_of(t, t.x, t.x);
  const double top = own(0, 0);
  for (Index i = 0; i < own.rows; ++i)
    if (!(std::fabs(own(i, i) - top) <= kRounding * top)) return false;
  return largest_of(here - there) <= kRounding * top &&
         largest_of(own) <= top * (1.0 + kRounding) && largest_of(here) <= top * (1.0 + kRounding);
}

// Derivatives of a weighted sum of the values by each hyper-parameter, against differences.
bool has_right_gradients(const Trial& t) {
  Numbers weights;
  for (Index k = 0; k < ssize(t.x) * ssize(t.y) / (kDimension * kDimension); ++k)
    weights.push_back(std::cos(static_cast<double>(k)));
  const auto sum_at = [&](const Numbers& parameters) {
    const auto values = matrix_of({t.row, t.x, t.y, parameters}, t.x, t.y).values;
    return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0);
  };
  testing::ReferenceRecord record;
  std::size_t next = 0;
  for (const HyperParameter& p : t.row.parameters) {
    const std::size_t size = p.by_coordinate ? kDimension : 1;
    const auto own = std::span(t.parameters).subspan(next, size);
    record.args.push_back(
        size == 1 ? testing::ReferenceArgument{"real", {}, {own[0]}, true}
                  : testing::ReferenceArgument{
                        "vector", graph::vector_shape(kDimension), {own.begin(), own.end()}, true});
    next += size;
  }
  const auto outcome = testing::evaluate(record, [&](std::span<const Expr> all, graph::Checks&) {
    const Expr values = t.row.matrix(pairs_of(t.x, t.y), all);
    return graph::sum(values * graph::constant(values.shape(), weights));
  });
  Numbers gradient;
  for (const Numbers& part : outcome.gradient)
    gradient.insert(gradient.end(), part.begin(), part.end());
  // Extrapolated differences: errors of step^4 times fifth derivatives, up to 1e-8 for short periods.
  constexpr double kStep = 1e-4;
  for (std::size_t k = 0; k < t.parameters.size(); ++k) {
    const auto difference_by = [&](double step) {
      Numbers above = t.parameters, below = t.parameters;
      above[k] += step, below[k] -= step;
      return (sum_at(above) - sum_at(below)) / (2.0 * step);
    };
    const double difference = (4.0 * difference_by(0.5 * kStep) - difference_by(kStep)) / 3.0;
    if (k >= gradient.size() ||
        !(std::fabs(gradient[k] - difference) <= 1e-6 * std::max(1.0, std::fabs(difference))))
      return false;
  }
  return true;
}

std::string faults_of(const Covariance& row) {
  std::string faults;
  const auto require = [&](bool holds, const char* claim) {
    if (!holds && faults.find(claim) == std::string::npos) faults += std::string(claim) + "; ";
  };
  Rng rng(StreamKey{.seed = 29});
  for (int round = 0; round < 5; ++round) {
    Trial t{row, {}, {}, {}};
    for (int k = 0; k < 24; ++k) t.x.push_back(3.0 * rng.uniform());
    for (int k = 0; k < 10; ++k) t.y.push_back(3.0 * rng.uniform());
    for (const HyperParameter& p : row.parameters)
      for (Index k = 0; k < (p.by_coordinate ? kDimension : 1); ++k)
        t.parameters.push_back(0.5 + rng.uniform());
    require(has_the_formula(t), "another formula");
    require(largest_of(matrix_of(t, t.x, t.y) - transposed(matrix_of(t, t.y, t.x))) <= kRounding,
            "not symmetric");
    require(is_positive_semi_definite(t), "not positive semi-definite");
    require(!row.is_stationary || is_stationary(t), "not stationary");
    require(has_right_gradients(t), "other gradients");
  }
  return faults;
}

TEST(covariances, every_row_is_its_formula_and_a_covariance) {
  for (const Covariance& row : covariances()) {
    EXPECT_EQ(faults_of(row), "") << row.name;
    EXPECT_FALSE(row.formula.empty() || row.reference.empty()) << row.name;
  }
}

TEST(covariances, are_in_the_order_of_their_names) {
  EXPECT_TRUE(std::ranges::is_sorted(covariances(), {}, &Covariance::name));
}

// A row of the table with another matrix, under its name.
std::string faults_of_mutant(std::string_view name, decltype(Covariance::matrix) matrix) {
  Covariance row = *std::ranges::find(covariances(), name, &Covariance::name);
  row.matrix = matrix;
  return faults_of(row);
}
Expr difference_of(const PairsOfPoints& points, std::span<const Expr> parameters, Index k) {
  return (points.x(k) - points.y(k)) / parameters[1].element(k);
}

TEST(covariances, mutants_are_rejected) {
  // exp(-r⁴): smooth, symmetric, largest at 0, and no covariance, since exp(-|r|^a) is one for a <= 2 only.
  const std::string fourth = faults_of_mutant(
      "exp_quad", [](const PairsOfPoints& points, std::span<const Expr> parameters) {
        const Expr r2 = square(difference_of(points, parameters, 0)) +
                        square(difference_of(points, parameters, 1));
        return square(parameters[0]) * exp(-square(r2));
      });
  EXPECT_NE(fourth.find("not positive semi-definite"), std::string::npos) << fourth;
  EXPECT_NE(fourth.find("another formula"), std::string::npos) << fourth;
  const std::string lopsided = faults_of_mutant(
      "exp_quad", [](const PairsOfPoints& points, std::span<const Expr> parameters) {
        return square(parameters[0]) * exp(-exp(difference_of(points, parameters, 0)));
      });
  EXPECT_NE(lopsided.find("not symmetric"), std::string::npos) << lopsided;
  Covariance linear = *std::ranges::find(covariances(), "dot_prod", &Covariance::name);
  linear.is_stationary = true;
  EXPECT_EQ(faults_of(linear), "not stationary; ");
  Covariance periodic = *std::ranges::find(covariances(), "periodic", &Covariance::name);
  periodic.only_on_a_line = false;
  EXPECT_EQ(faults_of(periodic), "not positive semi-definite; ");
}

}  // namespace
}  // namespace credo::dist::covariance_test
