// Kernels of the Gaussian processes of a formula: each has a covariance function of the language and square roots of a spectral density
// at frequencies [riutortmayol2023].
#pragma once
#include "models/formula/stan_parts.hpp"

namespace credo::models {

struct GaussianKernel {
  std::string_view name, words;  // "matern32", "a Matern kernel of smoothness 3/2"
  // Covariances of the program between arrays of vectors; arguments behind the points are the sd and the length scales.
  std::string_view covariance;
  double smoothness = 0.0;  // order of a Matern kernel; 0: squared exponential
  // The approximation by k functions on [-L, L] holds for length scales from `shortest` L / k to L / `longest`
  // [riutortmayol2023, section 4.3].
  double shortest = 0.0, longest = 0.0;
  bool is_periodic = false;
};
std::span<const GaussianKernel> gaussian_kernels();  // alphabetical
const GaussianKernel* find_gaussian_kernel(std::string_view name);
// Functions of programs that Gaussian processes need; each is added by its name.
std::span<const StanFunction> gaussian_functions();

// An inverse gamma distribution with 1 % below and 1 % above two numbers.
struct InverseGamma {
  double shape = 0.0, scale = 0.0;
};
InverseGamma inverse_gamma_between(double low, double high);

}  // namespace credo::models
