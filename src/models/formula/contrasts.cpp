#include "models/formula/contrasts.hpp"

#include <fmt/format.h>

#include "models/formula/bases.hpp"

namespace credo::models {
namespace {
std::vector<double> zeros(std::size_t n) { return std::vector<double>(n, 0.0); }

Contrasts treatment(std::span<const std::string> levels, std::size_t reference) {
  Contrasts made;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (k == reference) continue;
    made.columns.push_back(zeros(levels.size()));
    made.columns.back()[k] = 1.0;
    made.names.push_back(levels[k]);
  }
  return made;
}

Contrasts sum_to_zero(std::size_t n) {
  Contrasts made;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    made.columns.push_back(zeros(n));
    made.columns.back()[k] = 1.0;
    made.columns.back()[n - 1] = -1.0;
    made.names.push_back(fmt::format("{}", k + 1));
  }
  return made;
}

// Each level against the mean of those before it.
Contrasts helmert(std::size_t n) {
  Contrasts made;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    std::vector<double> column = zeros(n);
    for (std::size_t level = 0; level <= k; ++level) column[level] = -1.0;
    column[k + 1] = static_cast<double>(k + 1);
    made.columns.push_back(std::move(column));
    made.names.push_back(fmt::format("{}", k + 1));
  }
  return made;
}

// Orthogonal polynomials of the levels' numbers.
Contrasts polynomial(std::size_t n) {
  std::vector<double> scores(n);
  std::iota(scores.begin(), scores.end(), 1.0);
  const PolyBasis basis = poly_basis(scores, static_cast<Index>(n) - 1);
  Contrasts made{.columns = poly_columns(scores, basis), .names = {}};
  static constexpr std::array<std::string_view, 3> kNames{".L", ".Q", ".C"};
  for (std::size_t k = 0; k + 1 < n; ++k)
    made.names.push_back(k < kNames.size() ? std::string(kNames[k]) : fmt::format("^{}", k + 1));
  return made;
}
}  // namespace

Contrasts contrasts_of(std::string_view kind, std::span<const std::string> levels,
                       std::size_t reference) {
  if (kind == "treatment") return treatment(levels, reference);
  if (kind == "sum") return sum_to_zero(levels.size());
  if (kind == "helmert") return helmert(levels.size());
  if (kind == "poly") return polynomial(levels.size());
  return treatment(levels, levels.size());  // leaves none out
}

}  // namespace credo::models
