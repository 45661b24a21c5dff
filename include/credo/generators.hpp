// Random numbers outside of a run, and the generators of the textbooks by their names.
//
//   credo::RandomStream random(1);                       // seed
//   const double waiting = credo::draw_exponential(random, 0.5);
//   const double shape_half = credo::draw_gamma(random, 0.5, 2.0);
//
// The same seed and stream give the same draws, on every machine. All functions throw Error(usage) for
// parameters outside of their domain. Distributions of the Stan language have their generators in models
// (`credo simulate`); these are for your own algorithms, kernels (credo/kernel.hpp) included.
#pragma once
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "credo/kernel.hpp"

namespace credo {

namespace detail {
struct CREDO_API OwnRng {
  OwnRng(std::uint64_t seed, std::uint32_t number);
  std::shared_ptr<Rng> own_rng;
};
}  // namespace detail

// A stream of random numbers; streams of one seed with different numbers are independent.
// One thread's. Some 8e9 numbers long.
class RandomStream : private detail::OwnRng, public Random {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint32_t number = 0)
      : detail::OwnRng(seed, number), Random(*own_rng) {}
  RandomStream(const RandomStream&) = delete;
  RandomStream& operator=(const RandomStream&) = delete;
};

// ---- distributions by name

// Two independent standard normals, by the polar form of Box and Muller [box1958; marsaglia1972]: z uniform in the
// unit disc (a share pi / 4 of the square is), x_i = z_i sqrt(-2 log r^2 / r^2).
CREDO_API std::array<double, 2> draw_box_muller(Random& random);

// Exponential with a rate > 0, by its inverse distribution function: -log(u) / rate.
CREDO_API double draw_exponential(Random& random, double rate);

// Gamma with shape > 0 and rate > 0; mean shape / rate. By transformed rejection [marsaglia2000].
CREDO_API double draw_gamma(Random& random, double shape, double rate);

// Gamma draw of a whole shape >= 1, as the sum of so many exponentials.
CREDO_API double draw_gamma_whole(Random& random, Index shape, double rate);

// Gamma draw of shape >= 1 and rate > 1, by rejection from a gamma distribution of whole shape k = floor(shape) and of
// rate - 1: the ratio of the densities is largest at shape - k. One try in gamma_rejection_bound() is accepted.
CREDO_API double draw_gamma_by_rejection(Random& random, double shape, double rate);
// The largest ratio, C = Gamma(shape - k | shape, rate) / Gamma(shape - k | k, rate - 1) in densities.
CREDO_API double gamma_rejection_bound(double shape, double rate);

// Normal with D means and a covariance of D x D numbers, column by column: mean + L z, L L' = covariance. Throws
// Error(usage) unless it is symmetric and positive definite.
CREDO_API std::vector<double> draw_multi_normal(Random& random, std::span<const double> mean,
                                                std::span<const double> covariance);

// ---- any distribution of one variable

// By inversion: x with cdf(x) = u, u uniform, for a distribution function that doesn't fall between the bounds,
// which may be infinite. To the last digits, by bisection. Throws Error(usage) unless lower < upper, and
// Error(evaluation) for a cdf that isn't in [0, 1] or falls at a point that is evaluated.
CREDO_API double draw_by_inversion(Random& random, const std::function<double(double)>& cdf,
                                   double lower = -std::numeric_limits<double>::infinity(),
                                   double upper = std::numeric_limits<double>::infinity());
// The x itself: the least number at which the cdf reaches p in (0, 1), to the last digits.
CREDO_API double invert_cdf(const std::function<double(double)>& cdf, double p,
                            double lower = -std::numeric_limits<double>::infinity(),
                            double upper = std::numeric_limits<double>::infinity());

// A distribution that can be drawn from, with its log density.
struct ScalarDistribution {
  std::function<double(Random& random)> draw;
  std::function<double(double x)> log_density;
};
// y = forward(x), one to one, with its inverse and log |d forward / dx| at x.
struct ScalarMap {
  std::function<double(double x)> forward;
  std::function<double(double y)> inverse;
  std::function<double(double x)> log_slope;
};
// The distribution of y = forward(x) for x of a distribution: log p(y) = log q(x) - log |dy/dx|. Throws Error(usage)
// where a callable is empty.
CREDO_API ScalarDistribution transformed(ScalarDistribution distribution, ScalarMap map);

}  // namespace credo
