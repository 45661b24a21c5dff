// Log densities at many points, on this thread, what normal approximations take from a covariance, and means of
// weights of draws.
#pragma once
#include "density/draws.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

class PointValues {
 public:
  explicit PointValues(const density::LogDensity& density)
      : dimension_(static_cast<std::size_t>(density.dimension())),
        evaluator_(density.make_evaluator()) {}

  // Points one after another; -infinity where one is refused. `log_ratios`: those of a path, at its beginning
  // (density/path_density.hpp), if they are needed.
  std::vector<double> at(std::span<const double> points, std::vector<double>* log_ratios = nullptr);
  Index num_evaluations() const { return num_evaluations_; }

 private:
  std::size_t dimension_;
  std::unique_ptr<density::Evaluator> evaluator_;
  Index num_evaluations_ = 0;
};

// log |A| of a symmetric positive definite matrix, D × D.
double log_determinant(std::span<const double> matrix, Index dimension);

// log of the mean of weights of draws of chains, S × C, chain by chain; its error counts autocorrelation, and is 0 where
// all weights are equal.
LogEvidence log_mean(std::vector<double> log_weights, Index num_draws, Index num_chains);

// Independent draws of a distribution that can be drawn from, S × C × D as `like`.
density::Draws draws_of_distribution(const density::LogDensity& distribution,
                                     const density::Draws& like, std::uint64_t seed);

}  // namespace credo::infer
