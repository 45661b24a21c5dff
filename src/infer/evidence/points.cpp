#include "infer/evidence/points.hpp"

#include "diagnose/convergence.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {

std::vector<double> PointValues::at(std::span<const double> points,
                                    std::vector<double>* log_ratios) {
  constexpr std::size_t kBatch = 64;
  const std::size_t count = points.size() / dimension_;
  std::vector<density::Request> requests(kBatch);
  std::vector<density::Request*> batch;
  std::vector<double> values;
  for (std::size_t first = 0; first < count; first += kBatch) {
    batch.clear();
    for (std::size_t k = first; k < std::min(count, first + kBatch); ++k) {
      requests[k - first] = {.position = points.subspan(k * dimension_, dimension_),
                             .gradient = {},
                             .status = {},
                             .weight = log_ratios == nullptr ? 1.0 : 0.0};
      batch.push_back(&requests[k - first]);
    }
    evaluator_->evaluate(density::Want::value, batch);
    for (const density::Request* request : batch) {
      values.push_back(request->status.ok() ? request->log_density : -kInfinity);
      if (log_ratios != nullptr) log_ratios->push_back(request->log_ratio);
    }
  }
  num_evaluations_ += static_cast<Index>(count);
  return values;
}

double log_determinant(std::span<const double> matrix, Index dimension) {
  const numerics::SymmetricEigen eigen({dimension, dimension, matrix});
  double sum = 0.0;
  for (const double value : eigen.values) sum += numerics::log(value);
  return sum;
}

LogEvidence log_mean(std::vector<double> log_weights, Index num_draws, Index num_chains) {
  const double top = *std::max_element(log_weights.begin(), log_weights.end());
  if (!std::isfinite(top)) return {.value = top};
  for (double& w : log_weights) w = numerics::exp(w - top);
  const double mean = diagnose::mean(log_weights);
  const double error = diagnose::is_degenerate(log_weights)
                           ? 0.0
                           : diagnose::mcse_mean({log_weights, num_draws, num_chains});
  return {.value = top + numerics::log(mean), .error = error / mean};
}

density::Draws draws_of_distribution(const density::LogDensity& distribution,
                                     const density::Draws& like, std::uint64_t seed) {
  const auto exact = distribution.make_exact_draws();
  density::Draws all(like.num_draws(), like.num_chains(), like.num_quantities());
  for (Index c = 0; c < all.num_chains(); ++c) {
    Rng rng({.seed = seed,
             .purpose = purpose::kPriorTrial,
             .chain = static_cast<std::uint32_t>(c),
             .iteration = 1});
    for (Index s = 0; s < all.num_draws(); ++s) all.set(s, c, draw_exactly(*exact, rng).position);
  }
  return all;
}

}  // namespace credo::infer
