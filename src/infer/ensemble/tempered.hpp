// Tempered densities: p^(1/T), and the path from a reference to a target.
//
//   p_T(x) ∝ p(x)^(1/T)                          T > 1 is flatter, T → 0 keeps the highest peak
//   log p_β(x) = (1 - β) log q(x) + β log p(x)   q a reference with exact draws, β from 0 to 1
#pragma once
#include "base/rng.hpp"
#include "density/log_density.hpp"

namespace credo::infer {

// A normalised density with exact draws on the unconstrained space. Const, shared by threads.
class Reference {
 public:
  virtual ~Reference() = default;
  virtual double log_density(std::span<const double> position) const = 0;
  virtual void add_gradient(std::span<const double> position, double factor,
                            std::span<double> gradient) const = 0;
  virtual void draw(Rng& rng, std::span<double> position) const = 0;
};

// Independent normals N(0, sd²).
std::shared_ptr<const Reference> normal_reference(double sd);
// Independent normals with these means and standard deviations.
std::shared_ptr<const Reference> normal_reference(std::vector<double> mean, std::vector<double> sd);

// A reference as a density that can be drawn from.
std::unique_ptr<density::LogDensity> reference_density(std::shared_ptr<const Reference> reference,
                                                       Index dimension);

// The density p^(1/T) for a density p, which must live as long. A refused point stays refused.
std::unique_ptr<density::LogDensity> tempered(const density::LogDensity& density,
                                              double temperature);
// The density at a place of the path, 0 < inverse temperature <= 1.
std::unique_ptr<density::LogDensity> on_path(const density::LogDensity& density,
                                             std::shared_ptr<const Reference> reference,
                                             double inverse_temperature);

// Turns an answer at the target into one at the place β of the path.
void temper(const Reference& reference, double inverse_temperature, density::Request& request);

}  // namespace credo::infer
