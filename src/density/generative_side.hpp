// The generative side of a model: the mass of its priors as written, and data as it would draw them.
#pragma once
#include "density/prior_mass.hpp"
#include "density/query.hpp"
#include "density/replicates.hpp"

namespace credo::density {

class GenerativeSide {
 public:
  virtual ~GenerativeSide() = default;
  virtual PriorMass prior_mass() const = 0;
  // True if data can be drawn from the likelihood on the path of this point; and their draws, for as long as the
  // model lives. make_replicates() throws Error(program) where they can't.
  virtual Capability can_replicate(std::span<const double> point) const = 0;
  virtual std::unique_ptr<Replicates> make_replicates(std::span<const double> point) const = 0;
};

}  // namespace credo::density
