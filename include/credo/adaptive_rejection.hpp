// Adaptive rejection sampling [gilks1992]: independent, exact draws of one variable whose log density is concave
// and known with its derivative, up to a constant.
//
//   credo::AdaptiveRejection sampler(
//       [](double x) { return credo::LogSlope{2.0 * std::log(x) - x, 2.0 / x - 1.0}; },  // Gamma(3, 1)
//       {.lower = 0.0});
//   credo::RandomStream random(1);                        // credo/generators.hpp
//   const double x = sampler.draw(random);
//
// Tangents bound the log density from above, chords from below; a try that falls between them is decided by an
// evaluation, at which one more tangent is laid. So evaluations become rare: below 40 in the first thousand draws of a normal.
// In models: the sampler adaptive_rejection, one coordinate after another.
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "credo/kernel.hpp"

namespace credo {

// The logarithm of a density, up to a constant, and its derivative. If the density is 0, the logarithm is
// -infinity, and the derivative means nothing.
struct LogSlope {
  double log_density = 0.0, derivative = 0.0;
};

struct AdaptiveRejectionOptions {
  double lower =
      -std::numeric_limits<double>::infinity();  // the density is 0 outside of the bounds,
  double upper = std::numeric_limits<double>::infinity();  // and is not evaluated there
  // Points of the first tangents, between the bounds. Empty: in between, or at distances of 1, 2, 4, ... from the
  // finite bound or from 0, until the density falls off on both sides.
  std::vector<double> start = {};
  double tolerance = 1e-7;  // how far above a tangent a log density may lie that counts as concave
  Index max_tangents = 100;
};

// One object is used by one thread at a time.
class CREDO_API AdaptiveRejection {
 public:
  using Function = std::function<LogSlope(double x)>;

  // Throws Error(usage) for bounds, starts and options that make no sense, and Error(evaluation) where the log
  // density is NaN or +infinity, isn't concave at the points that were evaluated, or doesn't fall off on a side without bound.
  AdaptiveRejection(Function log_density, AdaptiveRejectionOptions options = {});
  ~AdaptiveRejection();
  AdaptiveRejection(AdaptiveRejection&& other) noexcept;
  AdaptiveRejection& operator=(AdaptiveRejection&& other) noexcept;

  // An independent draw. Throws Error(evaluation) as the constructor.
  double draw(Random& random);

  // The present bounds of the log density: the hull of tangents and the chords; ±infinity without one.
  double above(double x) const;
  double below(double x) const;
  Index num_evaluations() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credo
