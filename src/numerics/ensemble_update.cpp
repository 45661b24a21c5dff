#include "numerics/ensemble_update.hpp"

#include "numerics/elementary.hpp"

namespace credo::numerics {
namespace {
// (column - mean)/sqrt(N - 1)
DenseMatrix anomalies_of(DenseMatrix members) {
  const std::vector<double> mean = mean_of_members(members);
  const double scale = 1.0 / std::sqrt(static_cast<double>(members.cols - 1));
  for (Index n = 0; n < members.cols; ++n)
    for (Index i = 0; i < members.rows; ++i)
      members(i, n) = scale * (members(i, n) - mean[static_cast<std::size_t>(i)]);
  return members;
}

// Values below 0 by rounding are 0.
SymmetricEigen semi_definite(DenseMatrix a) {
  SymmetricEigen eigen(std::move(a));
  for (double& value : eigen.values) value = std::max(value, 0.0);
  return eigen;
}

// Quantities that both updates need, in outcomes whose noise is I.
struct EnsembleAnalysis {
  EnsembleAnalysis(const DenseMatrix& states, const EnsembleOutcome& seen)
      : noise(semi_definite(seen.noise)),
        whitening(noise.function([](double v) { return 1.0 / std::sqrt(v); })),
        anomalies(whitening * anomalies_of(seen.images)),
        spread(semi_definite(anomalies * transposed(anomalies))),
        shrinkage(spread.function([](double s) { return 1.0 / (1.0 + s); })),
        cross(anomalies_of(states) * transposed(anomalies)),
        gain(cross * shrinkage),
        innovation(whitening * apart(seen)) {}

  static DenseMatrix apart(const EnsembleOutcome& seen) {
    const std::vector<double> mean = mean_of_members(seen.images);
    return DenseMatrix(seen.noise.rows, 1, seen.outcome) - DenseMatrix(seen.noise.rows, 1, mean);
  }
  double log_density() const {
    constexpr double kHalfLog2Pi = 0.91893853320467274178;
    const DenseMatrix solved = shrinkage * innovation;
    double sum = 0.0;
    for (std::size_t i = 0; i < noise.values.size(); ++i)
      sum -= kHalfLog2Pi + 0.5 * (log(noise.values[i]) + log(1.0 + spread.values[i]) +
                                  innovation.values[i] * solved.values[i]);
    return sum;
  }

  SymmetricEigen noise;
  DenseMatrix whitening, anomalies;    // R^(-1/2), Z
  SymmetricEigen spread;               // of Z Z'
  DenseMatrix shrinkage, cross, gain;  // (I + Z Z')^-1, A Z', and their product
  DenseMatrix innovation;              // R^(-1/2) (y - mean h)
};
}  // namespace

std::vector<double> mean_of_members(const DenseMatrix& states) {
  std::vector<double> mean(static_cast<std::size_t>(states.rows), 0.0);
  for (Index n = 0; n < states.cols; ++n)
    for (Index i = 0; i < states.rows; ++i)
      mean[static_cast<std::size_t>(i)] += states(i, n) / static_cast<double>(states.cols);
  return mean;
}

void spread_members(DenseMatrix& states, double factor) {
  const std::vector<double> mean = mean_of_members(states);
  for (Index n = 0; n < states.cols; ++n)
    for (Index i = 0; i < states.rows; ++i) {
      const double centre = mean[static_cast<std::size_t>(i)];
      states(i, n) = centre + factor * (states(i, n) - centre);
    }
}

double perturbed_update(DenseMatrix& states, const EnsembleOutcome& seen,
                        const DenseMatrix& perturbations) {
  const EnsembleAnalysis analysis(states, seen);
  DenseMatrix innovations = DenseMatrix(seen.images.rows, seen.images.cols) - seen.images;
  for (Index n = 0; n < innovations.cols; ++n)
    for (Index i = 0; i < innovations.rows; ++i)
      innovations(i, n) += seen.outcome[static_cast<std::size_t>(i)] - perturbations(i, n);
  states = states + analysis.gain * (analysis.whitening * innovations);
  return analysis.log_density();
}

// With Z Z' = U diag(s) U':   A T = A + A Z' U diag(g) U' Z,   g = (1/sqrt(1 + s) - 1)/s.
double square_root_update(DenseMatrix& states, const EnsembleOutcome& seen) {
  const EnsembleAnalysis analysis(states, seen);
  const DenseMatrix change = analysis.cross * analysis.spread.function([](double s) {
    const double root = std::sqrt(1.0 + s);
    return -1.0 / (root * (1.0 + root));
  });
  const DenseMatrix shift = analysis.gain * analysis.innovation;
  states = states + std::sqrt(static_cast<double>(states.cols - 1)) * (change * analysis.anomalies);
  for (Index n = 0; n < states.cols; ++n)
    for (Index i = 0; i < states.rows; ++i) states(i, n) += shift(i, 0);
  return analysis.log_density();
}

}  // namespace credo::numerics
