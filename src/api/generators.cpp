#include "base/stream.hpp"
#include "credo/generators.hpp"

#include <fmt/format.h>

#include "base/rng.hpp"
#include "dist/samplers.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo {
namespace nm = numerics;
namespace {

constexpr std::uint32_t kOwnStream = stream("api.generators", 110);

void require_in_range(bool holds, const char* function, const char* name, double value,
                      const char* rule) {
  if (!holds)
    throw Error(ErrorCode::usage, fmt::format("{} must be {}, is {}", name, rule, value), function);
}
void require_positive(const char* function, const char* name, double value) {
  require_in_range(value > 0.0 && value < kInfinity, function, name, value, "finite and > 0");
}

double log_gamma_density(double x, double shape, double rate) {
  return shape * nm::log(rate) - nm::lgamma(shape) + (shape - 1.0) * nm::log(x) - rate * x;
}

void require_rejection(const char* function, double shape, double rate) {
  require_positive(function, "shape", shape);
  require_positive(function, "rate", rate);
  require_in_range(shape >= 1.0, function, "shape", shape, "at least 1");
  require_in_range(rate > 1.0, function, "rate", rate, "above 1");
}

}  // namespace

detail::OwnRng::OwnRng(std::uint64_t seed, std::uint32_t number)
    : own_rng(
          std::make_shared<Rng>(StreamKey{.seed = seed, .purpose = kOwnStream, .chain = number})) {}

// ---- distributions by name

std::array<double, 2> draw_box_muller(Random& random) {
  for (;;) {
    const double z1 = random.uniform(-1.0, 1.0), z2 = random.uniform(-1.0, 1.0);
    const double square = z1 * z1 + z2 * z2;
    if (square > 1.0 || square == 0.0) continue;
    const double scale = nm::sqrt(-2.0 * nm::log(square) / square);
    return {z1 * scale, z2 * scale};
  }
}

double draw_exponential(Random& random, double rate) {
  require_positive("draw_exponential", "rate", rate);
  return random.exponential() / rate;
}

double draw_gamma(Random& random, double shape, double rate) {
  require_positive("draw_gamma", "shape", shape);
  require_positive("draw_gamma", "rate", rate);
  return dist::draw_gamma(random.rng(), shape) / rate;
}

double draw_gamma_whole(Random& random, Index shape, double rate) {
  require_in_range(shape >= 1, "draw_gamma_whole", "shape", static_cast<double>(shape),
                   "at least 1");
  require_positive("draw_gamma_whole", "rate", rate);
  double sum = 0.0;
  for (Index i = 0; i < shape; ++i) sum += random.exponential();
  return sum / rate;
}

// p(x) / q(x) ∝ x^(shape - k) e^-x, which is largest at x = shape - k.
double draw_gamma_by_rejection(Random& random, double shape, double rate) {
  require_rejection("draw_gamma_by_rejection", shape, rate);
  const double whole = nm::floor(shape), rest = shape - whole;
  const double most = rest > 0.0 ? rest * nm::log(rest) - rest : 0.0;
  for (;;) {
    const double x = draw_gamma_whole(random, static_cast<Index>(whole), rate - 1.0);
    const double log_ratio = (rest > 0.0 ? rest * nm::log(x) : 0.0) - x;
    if (nm::log(random.uniform()) <= log_ratio - most) return x;
  }
}

double gamma_rejection_bound(double shape, double rate) {
  require_rejection("gamma_rejection_bound", shape, rate);
  const double whole = nm::floor(shape), at = shape - whole;
  if (at > 0.0)
    return nm::exp(log_gamma_density(at, shape, rate) - log_gamma_density(at, whole, rate - 1.0));
  return nm::exp(shape * (nm::log(rate) - nm::log(rate - 1.0)));  // the limit: the ratio is e^-x
}

namespace {
void require_covariance(std::size_t n, std::span<const double> covariance) {
  const auto refuse = [](std::string message) {
    throw Error(ErrorCode::usage, std::move(message), "draw_multi_normal");
  };
  if (n == 0 || covariance.size() != n * n)
    refuse(fmt::format("{} means have a covariance of {} numbers, {} are given", n, n * n,
                       covariance.size()));
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (!(covariance[i + j * n] == covariance[j + i * n]))
        refuse(fmt::format("the covariance isn't symmetric: {} at ({}, {}), {} at ({}, {})",
                           covariance[i + j * n], i + 1, j + 1, covariance[j + i * n], j + 1,
                           i + 1));
}

// Replaces the lower triangle, column by column, by L of L L' = covariance; elements above the diagonal stay.
void factorise(std::size_t n, std::vector<double>& a) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < n; ++i) a[i + j * n] -= a[i + k * n] * a[j + k * n];
    const double pivot = a[j + j * n];
    if (!(pivot > 0.0 && pivot < kInfinity))
      throw Error(
          ErrorCode::usage,
          fmt::format("the covariance isn't positive definite: pivot {} is {}", j + 1, pivot),
          "draw_multi_normal");
    const double root = nm::sqrt(pivot);
    for (std::size_t i = j; i < n; ++i) a[i + j * n] /= root;
  }
}
}  // namespace

std::vector<double> draw_multi_normal(Random& random, std::span<const double> mean,
                                      std::span<const double> covariance) {
  const std::size_t n = mean.size();
  require_covariance(n, covariance);
  std::vector<double> factor(covariance.begin(), covariance.end());
  factorise(n, factor);
  std::vector<double> draw(mean.begin(), mean.end());
  for (std::size_t j = 0; j < n; ++j) {
    const double z = random.normal();
    for (std::size_t i = j; i < n; ++i) draw[i] += factor[i + j * n] * z;
  }
  return draw;
}

// ---- any distribution of one variable

namespace {
double checked_cdf(const std::function<double(double)>& cdf, double x) {
  const double p = cdf(x);
  if (!(p >= 0.0 && p <= 1.0))
    throw Error(ErrorCode::evaluation, fmt::format("a cdf must be in [0, 1], is {} at {}", p, x),
                "invert_cdf");
  return p;
}

// Numbers in the order of the line, as whole numbers: halving these halves the digits that are left, whatever
// the scale.
std::int64_t rank_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
double number_of(std::int64_t rank) {
  return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}
}  // namespace

double invert_cdf(const std::function<double(double)>& cdf, double p, double lower, double upper) {
  require_in_range(p > 0.0 && p < 1.0, "invert_cdf", "p", p, "in (0, 1)");
  if (!(lower < upper))
    throw Error(ErrorCode::usage, fmt::format("the bounds {} and {} are no interval", lower, upper),
                "invert_cdf");
  std::int64_t below = rank_of(std::max(lower, -std::numeric_limits<double>::max())),
               above = rank_of(std::min(upper, std::numeric_limits<double>::max()));
  if (checked_cdf(cdf, number_of(below)) >= p) return number_of(below);
  if (checked_cdf(cdf, number_of(above)) < p)
    throw Error(ErrorCode::evaluation,
                fmt::format("the cdf doesn't reach {} at the upper bound {}", p, number_of(above)),
                "invert_cdf", "give bounds that hold all of the distribution");
  double least = 0.0, most = 1.0;  // cdf at the ends
  while (above - 1 > below) {
    const std::uint64_t gap = static_cast<std::uint64_t>(above) - static_cast<std::uint64_t>(below);
    const std::int64_t middle = below + static_cast<std::int64_t>(gap / 2);
    const double at = checked_cdf(cdf, number_of(middle));
    if (at < least || at > most)
      throw Error(
          ErrorCode::evaluation,
          fmt::format("a cdf must not fall: it is {} at {}, and between {} and {} around it", at,
                      number_of(middle), least, most),
          "invert_cdf");
    (at < p ? below : above) = middle;
    (at < p ? least : most) = at;
  }
  return number_of(above);
}

double draw_by_inversion(Random& random, const std::function<double(double)>& cdf, double lower,
                         double upper) {
  return invert_cdf(cdf, random.uniform(), lower, upper);
}

ScalarDistribution transformed(ScalarDistribution distribution, ScalarMap map) {
  if (!distribution.draw || !distribution.log_density || !map.forward || !map.inverse ||
      !map.log_slope)
    throw Error(ErrorCode::usage,
                "a distribution needs draw and log_density, a map forward, inverse and log_slope",
                "transformed");
  return {.draw = [distribution,
                   map](Random& random) { return map.forward(distribution.draw(random)); },
          .log_density =
              [distribution, map](double y) {
                const double x = map.inverse(y);
                return distribution.log_density(x) - map.log_slope(x);
              }};
}

}  // namespace credo
