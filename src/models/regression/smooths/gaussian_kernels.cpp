#include "models/regression/smooths/gaussian_kernel.hpp"

#include "numerics/incomplete_gamma.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFeatures =
    R"(  // Sines that are zero at -edge and edge.
  matrix sine_columns(vector x, real edge, int number) {
    matrix[rows(x), number] made;
    for (j in 1:number) made[, j] = sin(j * pi() / (2 * edge) * (x + edge)) / sqrt(edge);
    return made;
  }
)";
constexpr std::string_view kWaves =
    R"(  // 1, and cosines and sines of a period.
  matrix wave_columns(vector x, real period, int number) {
    matrix[rows(x), 2 * number + 1] made;
    made[, 1] = rep_vector(1, rows(x));
    for (j in 1:number) {
      made[, 2 * j] = cos(2 * pi() * j / period * x);
      made[, 2 * j + 1] = sin(2 * pi() * j / period * x);
    }
    return made;
  }
)";
constexpr std::string_view kWeights =
    R"(  // Square roots of the spectral density of a kernel with one length scale for each column of the frequencies.
  vector se_weights(real scale, vector length, matrix frequency) {
    return scale * sqrt(prod(length)) * (2 * pi())^(0.25 * rows(length))
           * exp(-0.25 * (square(frequency) * square(length)));
  }
)";
constexpr std::string_view kMaternWeights =
    R"(  // Square roots of the spectral density of a kernel with one length scale for each column of the frequencies.
  vector matern_weights(real scale, vector length, matrix frequency, real smoothness) {
    real power = smoothness + 0.5 * rows(length);
    real size = rows(length) * log(2) + 0.5 * rows(length) * log(pi()) + lgamma(power)
                - lgamma(smoothness) + smoothness * log(2 * smoothness) + sum(log(length));
    return scale * exp(0.5 * size)
           * (2 * smoothness + square(frequency) * square(length)) .^ (-0.5 * power);
  }
)";
constexpr std::string_view kWaveWeights =
    R"(  // Square roots of the weights of 1 and of the waves.
  vector wave_weights(real scale, real length, int number) {
    vector[2 * number + 1] made;
    real a = 1 / square(length);
    made[1] = scale * exp(0.5 * (log_modified_bessel_first_kind(0, a) - a));
    for (j in 1:number) {
      made[2 * j] = scale * exp(0.5 * (log(2) + log_modified_bessel_first_kind(j, a) - a));
      made[2 * j + 1] = made[2 * j];
    }
    return made;
  }
)";
constexpr std::string_view kRows =
    R"(  // Rows of a matrix as vectors.
  array[] vector points_of(matrix x) {
    array[rows(x)] vector[cols(x)] made;
    for (n in 1:rows(x)) made[n] = x[n]';
    return made;
  }
)";
constexpr std::string_view kPlaces =
    R"(  // Number of the point that each row is; 0 for other rows.
  array[] int places_of(matrix x, matrix points) {
    array[rows(x)] int made = rep_array(0, rows(x));
    for (n in 1:rows(x))
      for (k in 1:rows(points)) {
        int is_equal = 1;
        for (c in 1:cols(x)) if (x[n, c] != points[k, c]) is_equal = 0;
        if (is_equal == 1) made[n] = k;
      }
    return made;
  }
)";
constexpr std::string_view kRoot =
    R"(  // Cholesky factor of the covariances; a share of 1e-8 is added to the variances, without which nearly equal points have none.
  matrix covariance_root(matrix covariance) {
    return cholesky_decompose(add_diag(covariance, 1e-8 * covariance[1, 1]));
  }
)";
constexpr std::string_view kGiven =
    R"(  // Mean and sd at each row, given the values root * z at the points; those of the points are known.
  matrix given_points(matrix root, vector z, matrix covariance, real variance, array[] int place) {
    matrix[size(place), 2] made = rep_matrix(0, size(place), 2);
    vector[rows(z)] values = root * z;
    for (n in 1:size(place)) {
      vector[rows(z)] a = mdivide_left_tri_low(root, covariance[n]');
      if (place[n] > 0) {
        made[n, 1] = values[place[n]];
      } else {
        made[n, 1] = dot_product(a, z);
        made[n, 2] = sqrt(fmax(variance - dot_self(a), 0));
      }
    }
    return made;
  }
)";
}  // namespace

// The shortest length scales are those for which about 99 % of the variance is below the highest frequency; for matern12, whose spectrum
// falls slowly, 95 %.
std::span<const GaussianKernel> gaussian_kernels() {
  static constexpr std::array<GaussianKernel, 5> kAll{
      {{"matern12", "an exponential kernel", "gp_exponential_cov", 0.5, 8.1, 4.5},
       {"matern32", "a Matern kernel of smoothness 3/2", "gp_matern32_cov", 1.5, 3.42, 4.5},
       {"matern52", "a Matern kernel of smoothness 5/2", "gp_matern52_cov", 2.5, 2.65, 4.1},
       {"periodic", "a periodic kernel", "gp_periodic_cov", 0.0, 0.0, 0.0, true},
       {"se", "a squared exponential kernel", "gp_exp_quad_cov", 0.0, 1.75, 3.2}}};
  return kAll;
}

const GaussianKernel* find_gaussian_kernel(std::string_view name) {
  const auto found = std::ranges::find(gaussian_kernels(), name, &GaussianKernel::name);
  return found == gaussian_kernels().end() ? nullptr : &*found;
}

std::span<const StanFunction> gaussian_functions() {
  static constexpr std::array<StanFunction, 9> kAll{{{"covariance_root", kRoot},
                                                     {"given_points", kGiven},
                                                     {"matern_weights", kMaternWeights},
                                                     {"places_of", kPlaces},
                                                     {"points_of", kRows},
                                                     {"se_weights", kWeights},
                                                     {"sine_columns", kFeatures},
                                                     {"wave_columns", kWaves},
                                                     {"wave_weights", kWaveWeights}}};
  return kAll;
}

// If x has the shape a and scale b, b / x has the gamma distribution of shape a: the ratio of its quantiles falls as a grows.
InverseGamma inverse_gamma_between(double low, double high) {
  constexpr double kTail = 0.01;
  double least = 0.05, most = 1e4;
  for (int k = 0; k < 200; ++k) {
    const double shape = std::sqrt(least * most);
    const double ratio =
        numerics::inv_gamma_p(shape, 1.0 - kTail) / numerics::inv_gamma_p(shape, kTail);
    (ratio > high / low ? least : most) = shape;
  }
  return {most, low * numerics::inv_gamma_p(most, 1.0 - kTail)};
}

}  // namespace credo::models
