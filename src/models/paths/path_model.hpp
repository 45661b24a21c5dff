// A stochastic differential equation that is observed at some times, with unknown parameters, on a
// grid of times: what the posterior of parameters and path is made of.
//
// The path is expressed in a coordinate u in which the noise has one size along the whole path:
// du = … dt + s(θ) dW (for noise proportional to x that is u = log x). Parameters are positive.
#pragma once
#include "base/types.hpp"

namespace credo::models {

// An observed step, and where the observation puts u if its error is small: u = centre + factor
// w(θ) η with η ~ Normal(0, 1) nearly. Any centre and any factor > 0 are right.
struct ObservedStep {
  Index step;
  double centre, factor;
};

// Immutable, used from several threads at once.
class PathModel {
 public:
  virtual ~PathModel() = default;
  virtual Index num_parameters() const = 0;  // P
  virtual Index num_steps() const = 0;       // N; the path has N + 1 points
  virtual double time_step() const = 0;
  virtual std::span<const ObservedStep> observed() const = 0;  // by increasing steps, 0 to N

  // log p(θ) p(u_0) Π p(u_{i+1} | u_i, θ) Π p(y_k | u, θ), of densities of θ itself and of u, all
  // normalised, and its derivatives by the P parameters and the N + 1 points. NaN or an infinity
  // refuses the point.
  virtual double log_joint(std::span<const double> parameters, std::span<const double> u,
                           std::span<double> by_parameters, std::span<double> by_u) const = 0;

  // s(θ), and the derivatives of log s.
  virtual double noise_scale(std::span<const double> parameters,
                             std::span<double> by_parameters) const = 0;
  // w(θ), the size of the observations' errors, and the derivatives of log w.
  virtual double observation_scale(std::span<const double> parameters,
                                   std::span<double> by_parameters) const = 0;
};

}  // namespace credo::models
