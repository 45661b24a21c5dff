// Families of distributions of the unconstrained values, over which an objective is climbed. A member with parameters λ draws
//
//   x = T(z; λ),   z ~ N(0, I) of B values
//
// and knows log q at its own draws. Normal families (normal_family.hpp) know more: scores, divergences, log q everywhere. Families that are
// stated as expressions are GraphFamily (graph_family.hpp).
//
// λ = start() is the distribution that the family was started at. The functions of draws take S of them, one after another.
#pragma once
#include <memory>

#include "base/types.hpp"

namespace credo::infer {

class NormalFamily;

class DistributionFamily {
 public:
  virtual ~DistributionFamily() = default;
  virtual std::unique_ptr<DistributionFamily> clone_family() const = 0;

  virtual Index dimension() const = 0;  // D
  virtual Index num_base() const = 0;   // B
  virtual Index num_parameters() const = 0;
  virtual std::vector<double> start() const = 0;  // λ that it begins at
  virtual void move_to(std::span<const double> parameters) = 0;

  // x_s, S × D, and log q(x_s), from z, S × B.
  virtual void place_draws(std::span<const double> z, std::span<double> x,
                           std::span<double> log_q) = 0;
  // ∂/∂λ of Σ_s [v_s · x_s - w_s log q(x_s)], in which x_s moves with λ and v, S × D, and w, S, don't: added to `into`.
  virtual void pull_back_draws(std::span<const double> z, std::span<const double> v,
                               std::span<const double> w, std::span<double> into) = 0;

  // log q(x) anywhere. Families whose maps have no inverse in closed form don't have it.
  virtual bool has_log_density() const { return false; }
  virtual double log_density(std::span<const double>) { return kNaN; }

  // The family itself, if it is one of normal distributions; null: it isn't.
  virtual NormalFamily* as_normal() { return nullptr; }

 protected:
  DistributionFamily() = default;
  DistributionFamily(const DistributionFamily&) = default;
  DistributionFamily& operator=(const DistributionFamily&) = default;
};

}  // namespace credo::infer
