#include "diagnose/control_variates.hpp"

#include <fmt/format.h>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::diagnose {
namespace {
constexpr Index kDrawsPerVariate = 5;

// Coordinates less their mean, in their standard deviations: what the variates span doesn't depend on it, their digits do.
struct Standardised {
  std::vector<double> mean, sd;

  explicit Standardised(const GradientDraws& draws) {
    const Index count = draws.num_draws * draws.num_chains;
    std::vector<double> column(static_cast<std::size_t>(count));
    for (Index i = 0; i < draws.dimension; ++i) {
      for (Index s = 0; s < count; ++s)
        column[static_cast<std::size_t>(s)] =
            draws.positions[static_cast<std::size_t>(s * draws.dimension + i)];
      mean.push_back(diagnose::mean(column));
      const double variance = diagnose::variance(column);
      sd.push_back(variance > 0.0 ? std::sqrt(variance) : 1.0);
    }
  }
};

// ΔP + ∇P·∇l for P = x_i, then, of degree 2, P = x_i x_j with j <= i.
void write_variates(std::span<const double> x, std::span<const double> gradient, int degree,
                    double* out) {
  out = std::copy(gradient.begin(), gradient.end(), out);
  if (degree == 1) return;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      *out++ = x[i] * gradient[j] + x[j] * gradient[i] + (i == j ? 2.0 : 0.0);
}

Index num_variates(Index dimension, int degree) {
  return degree == 1 ? dimension : dimension * (dimension + 3) / 2;
}

int highest_degree(const GradientDraws& draws) {
  const Index half = draws.num_draws / 2 * draws.num_chains;
  for (const int degree : {2, 1})
    if (num_variates(draws.dimension, degree) * kDrawsPerVariate <= half) return degree;
  throw Error(
      ErrorCode::usage,
      fmt::format("{} draws are too few for control variates of {} unconstrained values",
                  draws.num_draws * draws.num_chains, draws.dimension),
      "--control-variates",
      fmt::format("draw {} at least, or leave it out", 2 * kDrawsPerVariate * draws.dimension));
}

// In units of their root mean square: their expectation is known, and stays 0.
void scale(ControlVariates& variates, Index num_draws) {
  for (Index k = 0; k < variates.count; ++k) {
    double squares = 0.0;
    for (Index s = 0; s < num_draws; ++s) {
      const double b = variates.values[static_cast<std::size_t>(s * variates.count + k)];
      squares += b * b;
    }
    const double unit = squares > 0.0 ? std::sqrt(static_cast<double>(num_draws) / squares) : 1.0;
    for (Index s = 0; s < num_draws; ++s)
      variates.values[static_cast<std::size_t>(s * variates.count + k)] *= unit;
  }
}

// Sums for a regression on the variates, of some of the draws.
struct Regression {
  Index count;
  AlignedArray squares, products;  // sums of variate × variate and variate × value
  std::vector<double> means;

  // `is_used(s)`: whether draw s counts; they are all of one half.
  template <class IsUsed>
  Regression(const Chains& values, const ControlVariates& variates, const IsUsed& is_used)
      : count(variates.count),
        squares(count * count),
        products(count),
        means(static_cast<std::size_t>(count), 0.0) {
    std::fill_n(squares.data(), count * count, 0.0);
    std::fill_n(products.data(), count, 0.0);
    std::vector<double> centred(static_cast<std::size_t>(count));
    double mean_value = 0.0, used = 0.0;
    const auto each = [&](const auto& visit) {
      for (Index s = 0; s < ssize(values.values); ++s)
        if (is_used(s))
          visit(values.values[static_cast<std::size_t>(s)],
                std::span(variates.values)
                    .subspan(static_cast<std::size_t>(s * count), static_cast<std::size_t>(count)));
    };
    each([&](double value, std::span<const double> b) {
      used += 1.0, mean_value += value;
      for (std::size_t k = 0; k < b.size(); ++k) means[k] += b[k];
    });
    mean_value /= used;
    for (double& m : means) m /= used;
    each([&](double value, std::span<const double> b) {
      for (std::size_t k = 0; k < b.size(); ++k) centred[k] = b[k] - means[k];
      for (Index k = 0; k < count; ++k) {
        const double at_k = centred[static_cast<std::size_t>(k)];
        products.data()[k] += at_k * (value - mean_value);
        for (Index i = k; i < count; ++i)
          squares.data()[k * count + i] += at_k * centred[static_cast<std::size_t>(i)];
      }
    });
  }

  // By Cholesky's factor. A thousandth of a thousandth of the diagonal is added, so that variates that are the same
  // share their coefficient.
  std::vector<double> coefficients() {
    for (Index k = 0; k < count; ++k) squares.data()[k * count + k] *= 1.0 + 1e-6;
    AlignedArray factor(count * count), half(count), solved(count);
    AlignedArray scratch(
        std::max(numerics::cholesky_scratch(count), numerics::solve_lower_scratch(count, 1)));
    const auto columns = [&](const AlignedArray& a) {
      return numerics::LaneOperand{.data = a.data(), .row = 1, .col = count};
    };
    numerics::cholesky(1, count, columns(squares), factor.data(), scratch.data());
    numerics::solve_lower(1, {.n = count, .cols = 1}, columns(factor), columns(products),
                          half.data(), scratch.data());
    numerics::solve_lower(1, {.n = count, .cols = 1, .transposed = true}, columns(factor),
                          columns(half), solved.data(), scratch.data());
    return {solved.data(), solved.data() + count};
  }
};
}  // namespace

ControlVariates control_variates(const GradientDraws& draws) {
  if (any_nan(draws.gradients) || std::any_of(draws.gradients.begin(), draws.gradients.end(),
                                              [](double g) { return std::isinf(g); }))
    throw Error(ErrorCode::usage, "the gradient of the log density isn't finite at some draw",
                "--control-variates", "leave it out");
  ControlVariates variates;
  variates.degree = highest_degree(draws);
  variates.count = num_variates(draws.dimension, variates.degree);
  const Index num_draws = draws.num_draws * draws.num_chains;
  const auto d = static_cast<std::size_t>(draws.dimension);
  variates.values.resize(static_cast<std::size_t>(num_draws * variates.count));
  const Standardised unit(draws);
  std::vector<double> x(d), gradient(d);
  for (Index s = 0; s < num_draws; ++s) {
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t place = static_cast<std::size_t>(s) * d + i;
      x[i] = (draws.positions[place] - unit.mean[i]) / unit.sd[i];
      gradient[i] = draws.gradients[place] * unit.sd[i];
    }
    write_variates(x, gradient, variates.degree,
                   variates.values.data() + static_cast<std::ptrdiff_t>(s * variates.count));
  }
  scale(variates, num_draws);
  return variates;
}

std::vector<double> controlled(const Chains& values, const ControlVariates& variates) {
  const auto is_late = [&](Index s) { return s % values.num_draws >= values.num_draws / 2; };
  std::vector<double> result(values.values.begin(), values.values.end());
  for (const bool late : {false, true}) {
    Regression other(values, variates, [&](Index s) { return is_late(s) != late; });
    const std::vector<double> coefficients = other.coefficients();
    for (Index s = 0; s < ssize(result); ++s) {
      if (is_late(s) != late) continue;
      const double* b = variates.values.data() + static_cast<std::ptrdiff_t>(s * variates.count);
      result[static_cast<std::size_t>(s)] -=
          std::inner_product(coefficients.begin(), coefficients.end(), b, 0.0);
    }
  }
  return result;
}

}  // namespace credo::diagnose
