// Maps stated once: their numbers, their determinants against closed forms, and what is refused.
#include "infer/jumps/map.hpp"

#include <gtest/gtest.h>

namespace credo::infer::rj::rj_map_test {
namespace {

MapFormulas polar() {
  return {.size = 2,
          .forward =
              [](Scalars x) {
                return std::vector<Expr>{x[0] * cos(x[1]), x[0] * sin(x[1])};
              },
          .inverse =
              [](Scalars y) {
                return std::vector<Expr>{hypot(y[0], y[1]), atan2(y[1], y[0])};
              }};
}

// Below the diagonal anything: the determinant is cosh(x_0) * 3 * exp(x_2).
MapFormulas stretched_triangle() {
  return {
      .size = 4,
      .forward =
          [](Scalars x) {
            return std::vector<Expr>{sinh(x[0]), x[1] * 3.0 + x[0], exp(x[2]) + x[1] * x[0], x[3]};
          },
      .inverse =
          [](Scalars y) {
            const Expr a = asinh(y[0]), b = (y[1] - a) / 3.0;
            return std::vector<Expr>{a, b, log(y[2] - a * b), y[3]};
          }};
}

std::string message_of(const MapFormulas& formulas) {
  try {
    const SmoothMap map(formulas);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(rj_map, has_the_determinant_of_polar_coordinates) {
  const SmoothMap map(polar());
  MapRunner runner(map);
  std::vector<double> out(2), again(2);
  for (const double radius : {0.3, 1.0, 7.5}) {
    const std::vector<double> in = {radius, -1.2};
    EXPECT_NEAR(runner.forward(in, out), std::log(radius), 1e-14);
    EXPECT_NEAR(out[0], radius * std::cos(-1.2), 1e-14 * radius);
    runner.inverse(out, again);
    EXPECT_NEAR(again[0], in[0], 1e-14 * radius);
    EXPECT_NEAR(again[1], in[1], 1e-14);
  }
}

TEST(rj_map, has_the_determinant_of_a_split_in_d_dimensions) {
  for (const Index d : {1, 2, 3}) {
    const double alpha = 0.35;
    const auto forward = [=](Scalars x) {
      std::vector<Expr> y;
      for (Index i = 0; i < d; ++i) y.push_back(x[i] - alpha * x[d + i]);
      for (Index i = 0; i < d; ++i) y.push_back(x[i] + alpha * x[d + i]);
      return y;
    };
    const auto inverse = [=](Scalars y) {
      std::vector<Expr> x;
      for (Index i = 0; i < d; ++i) x.push_back((y[i] + y[d + i]) / 2.0);
      for (Index i = 0; i < d; ++i) x.push_back((y[d + i] - y[i]) / (2.0 * alpha));
      return x;
    };
    const SmoothMap map({.size = 2 * d, .forward = forward, .inverse = inverse});
    MapRunner runner(map);
    const std::vector<double> in = {0.1, -0.7, 0.4, 0.3, 0.9, -0.2};
    std::vector<double> out(static_cast<std::size_t>(2 * d));
    const double log_det = runner.forward(std::span(in).first(out.size()), out);
    EXPECT_NEAR(log_det, static_cast<double>(d) * std::log(2.0 * alpha), 1e-14);
  }
}

TEST(rj_map, computes_only_the_derivatives_that_its_determinant_needs) {
  EXPECT_EQ(SmoothMap(identity_map(5)).num_derivatives(), 0);
  EXPECT_EQ(SmoothMap(stretched_triangle()).num_derivatives(), 3);  // its diagonal but the 1
  EXPECT_EQ(SmoothMap(polar()).num_derivatives(), 4);
}

TEST(rj_map, has_the_determinant_of_a_triangle) {
  const SmoothMap map(stretched_triangle());
  MapRunner runner(map);
  const std::vector<double> in = {0.4, -1.1, 0.6, 2.0};
  std::vector<double> out(4), again(4);
  EXPECT_NEAR(runner.forward(in, out), std::log(std::cosh(0.4)) + std::log(3.0) + 0.6, 1e-14);
  runner.inverse(out, again);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(again[i], in[i], 1e-14);
}

// (a, b, c) of (x_0, x_1, x_2) is a triangle with diagonal cosh x_0, 1, 2; outputs mix the three by
// a matrix of determinant -3.
MapFormulas mixed_triangle() {
  return {.size = 3,
          .forward =
              [](Scalars x) {
                const Expr a = sinh(x[0]), b = x[1] + tanh(a) * 0.5, c = x[2] * 2.0 + a * b;
                return std::vector<Expr>{a + b + c, b - c, a * 2.0 + c};
              },
          .inverse =
              [](Scalars y) {
                const Expr c = (y[0] - y[1] - y[2] * 0.5) / 1.5;
                const Expr a = (y[2] - c) * 0.5, b = y[1] + c;
                return std::vector<Expr>{asinh(a), b - tanh(a) * 0.5, (c - a * b) * 0.5};
              }};
}

TEST(rj_map, has_the_determinant_of_three_that_mix) {
  const SmoothMap map(mixed_triangle());
  EXPECT_EQ(map.num_derivatives(), 9);
  MapRunner runner(map);
  std::vector<double> out(3), again(3);
  for (const double x : {-1.3, 0.2, 2.1}) {
    const std::vector<double> in = {x, 0.7, -1.9};
    EXPECT_NEAR(runner.forward(in, out), std::log(6.0 * std::cosh(x)), 1e-13);
    runner.inverse(out, again);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(again[i], in[i], 1e-13) << i;
  }
}

TEST(rj_map, that_changes_the_number_of_coordinates_is_refused) {
  const auto add_one = [](Scalars x) { return std::vector<Expr>{x[0], x[0] * 2.0}; };
  const std::string message = message_of({.size = 1, .forward = add_one, .inverse = add_one});
  EXPECT_NE(message.find("makes 2 numbers of 1"), std::string::npos) << message;
}

TEST(rj_map, that_forgets_a_coordinate_is_refused) {
  const auto forget = [](Scalars x) { return std::vector<Expr>{x[0], 1.0}; };
  const std::string message = message_of({.size = 2, .forward = forget, .inverse = forget});
  EXPECT_NE(message.find("output 1 of the forward formula"), std::string::npos) << message;
}

}  // namespace
}  // namespace credo::infer::rj::rj_map_test
