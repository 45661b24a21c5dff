// Kinds of smooths, and the functions by which programs compute their columns.
#include "models/regression/smooths/smooth_basis.hpp"

namespace credo::models {
extern const SmoothKind cubic_kind, cyclic_kind, p_spline_kind, thin_plate_kind;

namespace {
constexpr std::string_view kCubic =
    R"(  // Piecewise cubics by their values and second derivatives at knots, and lines beyond the knots.
  matrix cubic_columns(vector x, vector knots, matrix values, matrix curvature) {
    matrix[rows(x), cols(values)] made;
    int last = rows(knots);
    for (n in 1:rows(x)) {
      int j = 1;
      real at = fmin(fmax(x[n], knots[1]), knots[last]);
      for (k in 2:(last - 1)) if (x[n] > knots[k]) j = k;
      real h = knots[j + 1] - knots[j];
      real b = (at - knots[j]) / h;
      real a = 1 - b;
      made[n] = a * values[j] + b * values[j + 1]
                + h * h / 6 * ((a^3 - a) * curvature[j] + (b^3 - b) * curvature[j + 1])
                + (x[n] - at) * ((values[j + 1] - values[j]) / h
                                 + h / 6 * ((1 - 3 * a * a) * curvature[j] + (3 * b * b - 1) * curvature[j + 1]));
    }
    return made;
  }
)";
constexpr std::string_view kThinPlate =
    R"(  // Thin plate splines: sums of radial functions of the distance to each point, of 1 and of the columns of x.
  matrix thin_plate_columns(matrix x, matrix points, matrix weights) {
    matrix[rows(x), cols(weights)] made;
    for (n in 1:rows(x)) {
      vector[rows(points)] radial;
      if (cols(x) == 1) {
        radial = abs(x[n, 1] - points[, 1]) .^ 3 / 12;
      } else {
        radial = square(x[n, 1] - points[, 1]) + square(x[n, 2] - points[, 2]);
        radial = radial .* log(fmax(radial, 1e-300)) / (16 * pi());
      }
      made[n] = append_col(append_col(radial', 1), x[n]) * weights;
    }
    return made;
  }
)";
constexpr std::string_view kWrapped =
    R"(  // The values moved by whole periods to the range of the knots.
  vector wrapped(vector x, vector knots) {
    vector[rows(x)] made = x;
    real first = knots[1];
    real period = knots[rows(knots)] - first;
    for (n in 1:rows(x))
      if (x[n] < first || x[n] > first + period) made[n] = x[n] - period * floor((x[n] - first) / period);
    return made;
  }
)";
}  // namespace

std::span<const SmoothKind* const> smooth_kinds() {
  static constexpr std::array kKinds{&cyclic_kind, &cubic_kind, &p_spline_kind, &thin_plate_kind};
  return kKinds;
}

const SmoothKind* find_smooth_kind(std::string_view name) {
  for (const SmoothKind* kind : smooth_kinds())
    if (kind->name == name) return kind;
  return nullptr;
}

std::span<const StanFunction> smooth_functions() {
  static constexpr std::array<StanFunction, 3> kAll{{{"cubic_columns", kCubic},
                                                     {"thin_plate_columns", kThinPlate},
                                                     {"wrapped", kWrapped}}};
  return kAll;
}

}  // namespace credo::models
