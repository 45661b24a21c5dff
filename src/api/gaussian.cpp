#include "credo/gaussian.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "numerics/kalman.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo {
namespace {
void require_finite(const std::vector<double>& numbers, const char* name) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]))
      throw Error(ErrorCode::data,
                  fmt::format("element {} of {} is {}, but must be finite", i, name, numbers[i]),
                  name);
}

constexpr double kRounding = 1e-12;

std::vector<double> eigenvalues_of(std::vector<double> c, std::size_t d) {
  const auto n = static_cast<Index>(d);
  return numerics::SymmetricEigen({n, n, std::move(c)}).values;
}

// Correlations, so that units don't count. The row of an element without variance is 0.
std::vector<double> correlations_of(const std::vector<double>& c, std::size_t d) {
  std::vector<double> r(d * d, 0.0);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t i = 0; i < d; ++i)
      if (c[i + j * d] != 0.0)
        r[i + j * d] = c[i + j * d] / (std::sqrt(c[i + i * d]) * std::sqrt(c[j + j * d]));
  return r;
}

void require_covariance(const std::vector<double>& c, std::size_t d) {
  if (c.size() != d * d)
    throw Error(ErrorCode::data,
                fmt::format("covariance has {} numbers, but of {} means it must have {}", c.size(),
                            d, d * d),
                "covariance");
  require_finite(c, "covariance");
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (std::fabs(c[i + j * d] - c[j + i * d]) >
          1e-8 * std::sqrt(std::fabs(c[i + i * d])) * std::sqrt(std::fabs(c[j + j * d])))
        throw Error(ErrorCode::data,
                    fmt::format("elements ({}, {}) and ({}, {}) are {} and {}, but must be equal",
                                i, j, j, i, c[i + j * d], c[j + i * d]),
                    "covariance");
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t i = 0; i < d; ++i)
      if (const double v = c[j + j * d]; v < 0.0 || (v == 0.0 && c[i + j * d] != 0.0))
        throw Error(
            ErrorCode::data,
            fmt::format("the variance of element {} is {}, but it must be positive semi-definite",
                        j, v),
            "covariance");
  const std::vector<double> values = eigenvalues_of(correlations_of(c, d), d);
  if (d > 0 && values.front() < -kRounding * std::fabs(values.back()))
    throw Error(
        ErrorCode::data,
        fmt::format("the least eigenvalue of its correlations is {}, but it must be positive "
                    "semi-definite",
                    values[0]),
        "covariance");
}

// C_22: below this share of the largest eigenvalue of its correlations the least one is rounding.
void require_determined(const std::vector<double>& c, const std::vector<std::size_t>& places,
                        std::size_t d) {
  std::vector<double> block;
  for (const std::size_t j : places)
    for (const std::size_t i : places) block.push_back(c[i + j * d]);
  const std::vector<double> values =
      eigenvalues_of(correlations_of(block, places.size()), places.size());
  if (!values.empty() && !(values.front() > kRounding * values.back()))
    throw Error(ErrorCode::data, "the covariance of the given elements is singular", "covariance",
                "leave out elements that others determine");
}

// 1 for each element that is given.
std::vector<char> given_of(const std::vector<std::size_t>& places, std::size_t d) {
  std::vector<char> given(d, 0);
  for (const std::size_t place : places) {
    if (place >= d || given[place] != 0)
      throw Error(ErrorCode::data,
                  place >= d ? fmt::format("place {} is beyond the last one, {}", place,
                                           static_cast<long>(d) - 1)
                             : fmt::format("place {} is there twice", place),
                  "places");
    given[place] = 1;
  }
  return given;
}
}  // namespace

Gaussian condition(const Gaussian& distribution, const std::vector<std::size_t>& places,
                   const std::vector<double>& values) {
  const std::size_t d = distribution.mean.size(), m = places.size();
  require_finite(distribution.mean, "mean");
  require_covariance(distribution.covariance, d);
  require_finite(values, "values");
  const std::vector<char> given = given_of(places, d);
  if (values.size() != m)
    throw Error(ErrorCode::data, fmt::format("there are {} values for {} places", values.size(), m),
                "values");
  require_determined(distribution.covariance, places, d);
  std::vector<double> chosen(m * d, 0.0);  // m x d
  for (std::size_t k = 0; k < m; ++k) chosen[k + places[k] * m] = 1.0;
  double log_density = 0.0;
  const numerics::GaussianState state =
      numerics::PreparedStep({.offset = distribution.mean,
                              .noise = distribution.covariance,
                              .observation = std::move(chosen),
                              .observation_offset = std::vector<double>(m, 0.0),
                              .observation_noise = std::vector<double>(m * m, 0.0),
                              .outcome = values})
          .filtered(nullptr, log_density);
  const std::vector<double> all = state.covariance();
  Gaussian rest;
  for (std::size_t j = 0; j < d; ++j) {
    if (given[j] != 0) continue;
    rest.mean.push_back(state.mean[j]);
    for (std::size_t i = 0; i < d; ++i)
      if (given[i] == 0) rest.covariance.push_back(all[i + j * d]);
  }
  return rest;
}

}  // namespace credo
