// Log densities with gradients, exact moments and exact draws: what transition kernels are judged on
// (infer/invariance/suite.hpp).
#pragma once
#include "base/rng.hpp"
#include "density/log_density.hpp"

namespace credo::infer::invariance {

// A function of the position whose expectation is known.
struct Moment {
  std::string name;
  std::function<double(std::span<const double>)> function;
  double expectation;
};

struct Target {
  std::string name;
  std::shared_ptr<const density::LogDensity> density;
  std::vector<Moment> moments;
  std::function<void(Rng&, std::span<double>)> draw;  // an exact one
};

Moment mean_of(std::size_t d, double value);    // mean of x_d
Moment square_of(std::size_t d, double value);  // of x_d²

// Independent normals with the given standard deviations.
Target normal_with(const std::string& name, std::vector<double> sd);
Target standard_normal(std::size_t dimension);
// Two dimensions, standard deviations 1 and 3, correlation rho.
Target correlated_normal(double rho);
// x0 ~ N(0, sd), x1 … x3 ~ N(0, exp(x0 / 2)) [neal2003].
Target funnel(double sd);
// x0 ~ N(0, 1), x1 ~ N(x0² / 2, 1/2).
Target banana();
// exp(x) ~ |N(0, 1)|, the density of x with its Jacobian.
Target half_normal_on_log_scale();
// inv_logit(x) ~ Beta(2, 3), the density of x with its Jacobian.
Target beta_on_logit_scale();
// 0.3 N(-2, 1) + 0.7 N(2, 1) in the first of two coordinates, N(0, 1) in the second.
Target two_modes();

// The seven of the suite.
std::vector<Target> all_targets();

}  // namespace credo::infer::invariance
