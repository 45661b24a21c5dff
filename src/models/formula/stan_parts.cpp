#include "models/formula/stan_parts.hpp"

#include <fmt/format.h>

namespace credo::models {
namespace {
constexpr std::string_view kProducts =
    R"(  // Products of columns, row by row; the columns of a vary fastest.
  matrix column_products(matrix a, matrix b) {
    matrix[rows(a), cols(a) * cols(b)] products;
    for (j in 1:cols(b))
      for (i in 1:cols(a)) products[, (j - 1) * cols(a) + i] = a[, i] .* b[, j];
    return products;
  }
)";
constexpr std::string_view kPoly =
    R"(  // Orthogonal polynomials by their recurrence, without the constant.
  matrix poly_columns(vector x, vector alpha, vector norm2) {
    matrix[rows(x), rows(alpha)] made;
    vector[rows(x)] before = rep_vector(0, rows(x));
    vector[rows(x)] last = rep_vector(1, rows(x));
    for (d in 1:rows(alpha)) {
      vector[rows(x)] next = (x - alpha[d]) .* last;
      if (d > 1) next -= norm2[d] / norm2[d - 1] * before;
      before = last;
      last = next;
      made[, d] = next / sqrt(norm2[d + 1]);
    }
    return made;
  }
)";
constexpr std::string_view kRaw = R"(  // x, x^2, ...
  matrix power_columns(vector x, int degree) {
    matrix[rows(x), degree] made;
    for (d in 1:degree) made[, d] = x .^ d;
    return made;
  }
)";
constexpr std::string_view kSpline =
    R"(  // B-splines by the recurrence of Cox and de Boor, without the first.
  matrix spline_columns(vector x, vector knots, int degree) {
    int pieces = rows(knots) - 1;
    matrix[rows(x), pieces - degree - 1] made;
    for (n in 1:rows(x)) {
      vector[pieces] b = rep_vector(0, pieces);
      int piece = 0;
      for (j in 1:pieces)
        if (knots[j] < knots[j + 1] && x[n] >= knots[j]
            && (x[n] < knots[j + 1] || knots[j + 1] == knots[pieces + 1]))
          piece = j;
      if (piece == 0 || x[n] > knots[pieces + 1]) reject("a value beyond the knots: ", x[n]);
      b[piece] = 1;
      for (d in 1:degree)
        for (j in 1:(pieces - d)) {
          real left = knots[j + d] - knots[j];
          real right = knots[j + d + 1] - knots[j + 1];
          b[j] = (left > 0 ? (x[n] - knots[j]) / left * b[j] : 0)
                 + (right > 0 ? (knots[j + d + 1] - x[n]) / right * b[j + 1] : 0);
        }
      for (j in 1:cols(made)) made[n, j] = b[j + 1];
    }
    return made;
  }
)";
constexpr std::string_view kKernel =
    R"(  // Gaussian kernel of each value and each centre.
  matrix kernel_columns(vector x, vector centres, real length) {
    matrix[rows(x), rows(centres)] made;
    for (k in 1:rows(centres)) made[, k] = exp(-0.5 * ((x - centres[k]) / length) .^ 2);
    return made;
  }
)";
constexpr std::string_view kPieces =
    R"(  // Number of the piece (breaks[k], breaks[k + 1]] of each value.
  array[] int piece_numbers(vector x, vector breaks) {
    array[rows(x)] int pieces = rep_array(0, rows(x));
    for (n in 1:rows(x))
      for (k in 1:(rows(breaks) - 1))
        if (x[n] > breaks[k] && x[n] <= breaks[k + 1]) pieces[n] = k;
    return pieces;
  }
)";
}  // namespace

std::span<const StanFunction> formula_functions() {
  static constexpr std::array<StanFunction, 6> kAll{{{"column_products", kProducts},
                                                     {"kernel_columns", kKernel},
                                                     {"piece_numbers", kPieces},
                                                     {"poly_columns", kPoly},
                                                     {"power_columns", kRaw},
                                                     {"spline_columns", kSpline}}};
  return kAll;
}

void use_function(StanParts& parts, std::string_view name) {
  const auto found = std::ranges::find(formula_functions(), name, &StanFunction::name);
  parts.functions.emplace(found->name, found->text);
}

std::string ProgramConstant::declaration() const {
  const std::string note = comment.empty() ? "" : "  // " + comment;
  if (dims.empty()) return fmt::format("{} {};{}", is_whole ? "int" : "real", name, note);
  if (is_whole) return fmt::format("array[{}] int {};{}", fmt::join(dims, ", "), name, note);
  return fmt::format("{}[{}] {};{}", dims.size() == 1 ? "vector" : "matrix", fmt::join(dims, ", "),
                     name, note);
}

ProgramNames::ProgramNames(std::function<bool(const std::string&)> is_usable)
    : is_usable_(std::move(is_usable)) {}

std::string ProgramNames::take(const std::string& wanted) {
  std::string name = wanted;
  for (int k = 2; taken_.contains(name) || !is_usable_(name); ++k)
    name = fmt::format("{}_{}", wanted, k);
  taken_.insert(name);
  return name;
}

}  // namespace credo::models
