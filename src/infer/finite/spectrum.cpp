#include "infer/finite/spectrum.hpp"

#include <fmt/format.h>

namespace credo::infer::finite {
namespace {
using Complex = std::complex<double>;

// sqrt(pi(x)) P(x, y) / sqrt(pi(y)).
RowMatrix scaled(const FiniteChain& chain, std::span<const double> distribution) {
  const Index n = chain.num_states();
  RowMatrix result(n);
  for (Index x = 0; x < n; ++x) {
    for (Index y = 0; y < n; ++y)
      result(x, y) =
          chain(x, y) == 0.0 ? 0.0 : std::sqrt(distribution[x] / distribution[y]) * chain(x, y);
  }
  return result;
}

void sort_by_modulus(std::vector<Complex>& values) {
  std::sort(values.begin(), values.end(), [](const Complex& a, const Complex& b) {
    const double big = std::abs(a), small = std::abs(b);
    if (big != small) return big > small;
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
}

std::vector<Complex> real_eigenvalues(const RowMatrix& matrix) {
  RowMatrix symmetric = matrix;
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < i; ++j)
      symmetric(i, j) = symmetric(j, i) = 0.5 * (matrix(i, j) + matrix(j, i));
  }
  const numerics::SymmetricEigen eigen({matrix.rows, matrix.cols, std::move(symmetric.values)});
  return {eigen.values.rbegin(), eigen.values.rend()};
}

// Takes the one eigenvalue 1 of an irreducible chain out of the way: it is the nearest.
void put_one_first(std::vector<Complex>& values) {
  const auto nearest = std::min_element(
      values.begin(), values.end(),
      [](const Complex& a, const Complex& b) { return std::abs(a - 1.0) < std::abs(b - 1.0); });
  std::rotate(values.begin(), nearest, nearest + 1);
  values[0] = 1.0;
}

double second_singular_value(const RowMatrix& matrix) {
  if (matrix.rows == 1) return 0.0;
  const auto squares = real_eigenvalues(multiply(transposed(matrix), matrix));
  return std::sqrt(std::clamp(squares[1].real(), 0.0, 1.0));
}
}  // namespace

std::vector<Complex> eigenvalues_by_modulus(const FiniteChain& chain) {
  std::vector<Complex> values = eigenvalues(chain.matrix());
  sort_by_modulus(values);
  return values;
}

Spectrum spectrum_of(const FiniteChain& chain, std::span<const double> distribution,
                     double tolerance) {
  if (*std::min_element(distribution.begin(), distribution.end()) <= 0.0) {
    throw Error(ErrorCode::data, "a state has probability 0 in the stationary distribution", {},
                "the gap is that of an irreducible chain; leave out the transient states");
  }
  Spectrum result;
  const RowMatrix matrix = scaled(chain, distribution);
  result.reversible = balance_error(chain, distribution).relative <= tolerance;
  result.values = result.reversible ? real_eigenvalues(matrix) : eigenvalues(matrix);
  sort_by_modulus(result.values);
  put_one_first(result.values);
  result.second_real = -1.0;
  for (std::size_t k = 1; k < result.values.size(); ++k) {
    result.second_real = std::max(result.second_real, result.values[k].real());
    result.second_modulus = std::max(result.second_modulus, std::abs(result.values[k]));
  }
  const bool periodic = structure_of(chain).classes[0].period > 1;  // then one has modulus 1
  result.second_modulus = periodic ? 1.0 : std::min(result.second_modulus, 1.0);
  result.second_singular =
      result.reversible || periodic ? result.second_modulus : second_singular_value(matrix);
  return result;
}

MixingBounds mixing_bounds(const Spectrum& spectrum, std::span<const double> distribution,
                           double epsilon) {
  const double rarest = *std::min_element(distribution.begin(), distribution.end());
  const double relaxation = spectrum.relaxation_time();
  MixingBounds bounds{
      .lower = std::ceil(std::max(0.0, (relaxation - 1.0) * std::log(0.5 / epsilon))),
      .upper = kInfinity};
  if (spectrum.second_singular < 1.0) {
    bounds.upper =
        std::log(0.5 / (epsilon * std::sqrt(rarest))) / -std::log(spectrum.second_singular);
  }
  if (spectrum.reversible)
    bounds.upper = std::min(bounds.upper, relaxation * std::log(1.0 / (epsilon * rarest)));
  bounds.upper = std::max(1.0, std::ceil(bounds.upper));
  return bounds;
}

}  // namespace credo::infer::finite
