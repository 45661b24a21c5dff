// With S the set, X_S its centred columns, m = n - 1 and D = |A|:
//
//   g        b | s ~ N(0, g s^2 (X'X)^-1) [zellner1986]: (1 + g)^(-p/2) Q^(-m/2), Q = y'y - g / (1 + g) y'X (X'X)^-1 X'y
//   normal   b | s ~ N(0, w^2 s^2 I): |I + w^2 X'X|^(-1/2) Q^(-m/2), Q = y'y - y'X A^-1 X'y, A = X'X + I / w^2
//   uniform  b_j ~ uniform(-a, a): (2 a)^-p pi^(p/2) D^(-1/2) Gamma((m - p) / 2) Q^(-(m - p)/2), Q the residual sum of squares,
//            where the coefficients lie within the range
//   l0       Q^(-m/2), the maximum of the likelihood (to a constant): the prior of the set penalises each column
//
// With a known s, Q^(-k/2) and its Gamma(k / 2) become s^-k exp(-Q / (2 s^2)), with the constants that differ between sets.
#include "models/selection/slab_prior.hpp"

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "numerics/special.hpp"

namespace credo::models {
namespace {
constexpr double kLogPi = 1.14472988584940017414, kLog2 = 0.69314718055994530942;

double rows_of(const SubsetFit& fit) { return fit.num_rows - 1.0; }
bool is_too_large(const SubsetFit& fit) {
  return !(fit.residual > 1e-13 * fit.total) ||
         static_cast<double>(fit.num_columns) >= rows_of(fit);
}
// The integral of the likelihood over the noise, with k degrees of freedom, to a constant of m.
double noise_term(double q, double k, const SubsetFit& fit, const SlabOptions& options) {
  if (options.sigma > 0.0)
    return -k * std::log(options.sigma) - q / (2.0 * options.sigma * options.sigma) -
           0.5 * k * (kLog2 + kLogPi) + 0.5 * rows_of(fit) * (kLog2 + kLogPi);
  return -0.5 * k * std::log(q) + numerics::lgamma(0.5 * k) - 0.5 * k * kLogPi +
         0.5 * rows_of(fit) * kLogPi;
}
double variance_of(double q, double k, const SlabOptions& options) {
  if (options.sigma > 0.0) return options.sigma * options.sigma;
  return k > 2.0 ? q / (k - 2.0) : kInfinity;
}
double no_ridge(const SlabOptions&) { return 0.0; }

// ---- g
double g_of(const SubsetFit& fit, const SlabOptions& options) {
  return options.g > 0.0 ? options.g : fit.num_rows;
}
double g_rest(const SubsetFit& fit, const SlabOptions& options) {
  const double g = g_of(fit, options);
  return fit.total - g / (1.0 + g) * (fit.total - fit.residual);
}
double g_evidence(const SubsetFit& fit, const SlabOptions& options) {
  if (static_cast<double>(fit.num_columns) >= rows_of(fit)) return -kInfinity;
  return -0.5 * static_cast<double>(fit.num_columns) * std::log1p(g_of(fit, options)) +
         noise_term(g_rest(fit, options), rows_of(fit), fit, options);
}
SlabMoments g_moments(const SubsetFit& fit, const SlabOptions& options) {
  const double shrinkage = g_of(fit, options) / (1.0 + g_of(fit, options));
  return {shrinkage, shrinkage * variance_of(g_rest(fit, options), rows_of(fit), options)};
}
const SlabRow kG{"g",        "g-prior: as certain as one row of the table (--g changes it)",
                 true,       no_ridge,
                 g_evidence, g_moments};

// ---- l0
double l0_evidence(const SubsetFit& fit, const SlabOptions& options) {
  if (is_too_large(fit)) return -kInfinity;
  if (options.sigma > 0.0) return -fit.residual / (2.0 * options.sigma * options.sigma);
  return -0.5 * rows_of(fit) * std::log(fit.residual);
}
SlabMoments l0_moments(const SubsetFit& fit, const SlabOptions& options) {
  return {1.0, options.sigma > 0.0
                   ? options.sigma * options.sigma
                   : fit.residual / (rows_of(fit) - static_cast<double>(fit.num_columns))};
}
const SlabRow kL0{"l0",
                  "no probabilities: the best fit less a penalty for each term, log((1 - P) / P) "
                  "with P of --inclusion",
                  false,
                  no_ridge,
                  l0_evidence,
                  l0_moments};

// ---- normal
double normal_ridge(const SlabOptions& options) { return 1.0 / (options.width * options.width); }
double normal_evidence(const SubsetFit& fit, const SlabOptions& options) {
  return -0.5 * (fit.log_determinant +
                 2.0 * static_cast<double>(fit.num_columns) * std::log(options.width)) +
         noise_term(fit.residual, rows_of(fit), fit, options);
}
SlabMoments normal_moments(const SubsetFit& fit, const SlabOptions& options) {
  return {1.0, variance_of(fit.residual, rows_of(fit), options)};
}
const SlabRow kNormal{"normal",
                      "independent normal coefficients, for columns of sd 1, of --width sds of the "
                      "noise",
                      true,
                      normal_ridge,
                      normal_evidence,
                      normal_moments};

// ---- uniform
double uniform_evidence(const SubsetFit& fit, const SlabOptions& options) {
  if (is_too_large(fit)) return -kInfinity;
  const auto p = static_cast<double>(fit.num_columns);
  const double half_range = options.width * std::sqrt(fit.total / rows_of(fit));
  return -p * (kLog2 + std::log(half_range)) - 0.5 * fit.log_determinant +
         noise_term(fit.residual, rows_of(fit) - p, fit, options);
}
SlabMoments uniform_moments(const SubsetFit& fit, const SlabOptions& options) {
  return {1.0,
          variance_of(fit.residual, rows_of(fit) - static_cast<double>(fit.num_columns), options)};
}
const SlabRow kUniform{"uniform",
                       "coefficients equally probable within --width sds of the outcome, for "
                       "columns of sd 1",
                       true,
                       no_ridge,
                       uniform_evidence,
                       uniform_moments};
constexpr std::array<const SlabRow*, 4> kRows{&kG, &kL0, &kNormal, &kUniform};
}  // namespace

std::span<const SlabRow* const> slab_rows() { return kRows; }

const SlabRow& find_slab(std::string_view name) {
  for (const SlabRow* row : kRows)
    if (row->name == name) return *row;
  throw Error(ErrorCode::usage, "there is no such prior: " + std::string(name), "--prior",
              "g, l0, normal or uniform");
}

}  // namespace credo::models
