// Covariance functions of Gaussian processes, as a table [rasmussen2006, section 4.2].
//
// A row states its formula, its hyper-parameters and the matrix of values between two sets of points, as expressions, so that
// derivatives by hyper-parameters and points follow. The language's gp_NAME_cov are its rows. docs/how-to-add/covariance.md
#pragma once
#include "graph/core/expr.hpp"

namespace credo::dist {
using graph::Expr;

// Points x_1, ..., x_n and y_1, ..., y_m, coordinate by coordinate.
struct PairsOfPoints {
  graph::Shape shape;                           // n x m
  Index dimension = 1;                          // coordinates of a point
  std::function<Expr(Index k)> x = {}, y = {};  // n x m: coordinate k of x_i, of y_j
};

struct HyperParameter {
  std::string_view name;
  bool may_be_zero = false;    // otherwise it must be above 0
  bool by_coordinate = false;  // one number, or one for each coordinate
};

struct Covariance {
  std::string_view name, formula, reference;
  std::span<const HyperParameter> parameters;
  bool is_stationary = true;    // depends on x - y only; its largest value is at 0
  bool only_on_a_line = false;  // positive semi-definite for points of one coordinate only
  Expr (*matrix)(const PairsOfPoints& points, std::span<const Expr> parameters) = nullptr;
};
std::span<const Covariance> covariances();  // by name

}  // namespace credo::dist
