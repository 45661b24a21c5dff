// The linear tank with multiplicative noise: dx = r(t) dt - x (ρ0 dt + sqrt(ρ0 γ) dW).
//
// x is the content, r the rain, and the outflow's rate a white noise with mean ρ0. Sources: the
// model of [albert2016]; for constant rain the stationary distribution of the Ito form is inverse gamma.
#pragma once
#include "base/error.hpp"
#include "models/paths/path_model.hpp"
#include "models/paths/sde.hpp"

namespace credo::models {

struct TankParameters {
  double rate = 1.0;      // ρ0, 1 / time
  double noise = 0.5;     // γ, without a unit
  double noise_sd = 0.1;  // σ of the observations
};

using Rain = std::function<double(double t)>;

// For simulate(); the noise's sign is that of the outflow.
std::unique_ptr<Sde> tank_equation(const TankParameters& parameters, Rain rain);

// The distribution of x for constant rain after a long time, InvGamma(shape, scale): density ∝
// x^(-shape - 1) exp(-scale / x). Ito: shape 1 + 2/γ, mean r/ρ0; Stratonovich: shape 2/γ. The
// scale is 2 r / (γ ρ0). Moments are infinite from the shape on.
struct InverseGammaPrior {
  double shape, scale;
  double mean() const;      // +infinity for shape <= 1
  double variance() const;  // +infinity for shape <= 2
  double cdf(double x) const;
};
enum class SdeKind { ito, stratonovich };
InverseGammaPrior tank_stationary_distribution(const TankParameters& parameters, double rain,
                                          SdeKind kind = SdeKind::ito);

// Second moment of Euler's chain with its own step, exact; its mean is r/ρ0, too;
// +infinity if the chain has no second moment.
double tank_chain_second_moment(const TankParameters& parameters, double rain, double time_step);

// ---- the posterior's model ----

enum class TankScheme {
  euler,  // x' = x + Δt (r - ρ0 x) + sqrt(ρ0 γ Δt) x ε, as in the texts, expressed in u = log x
  log_euler,  // u' = u + Δt (r e^-u - ρ0 - ½ ρ0 γ) + sqrt(ρ0 γ Δt) ε: the same equation by Ito's
              // formula, another discretisation, whose x can't be negative
};

// log θ ~ Normal(mean, sd): a log-normal prior.
struct LogNormalPrior {
  double log_mean = 0.0, log_sd = 1.0;
};

struct TankData {
  TankScheme scheme = TankScheme::euler;
  double time_step = 0.1;
  std::vector<double> rain = {};             // N values, of each step
  std::vector<Index> observed_at = {};       // increasing steps, from 0 to N
  std::vector<double> observed = {};         // y: x with normal noise of sd σ
  LogNormalPrior initial = {};               // of x at step 0
  std::array<LogNormalPrior, 3> prior = {};  // of ρ0, γ, σ
};

// Parameters ρ0, γ, σ; u = log x, s = sqrt(ρ0 γ), w = σ. An observation y says u = log y + σ η / y
// for small σ; y below the prior's median of σ, or negative, is taken as that.
class TankModel final : public PathModel {
 public:
  // Throws Error(data) for sizes that don't fit or numbers that aren't finite.
  explicit TankModel(TankData data);
  Index num_parameters() const override { return 3; }
  Index num_steps() const override { return ssize(data_.rain); }
  double time_step() const override { return data_.time_step; }
  std::span<const ObservedStep> observed() const override { return observed_; }
  const TankData& data() const { return data_; }

  double log_joint(std::span<const double> parameters, std::span<const double> u,
                   std::span<double> by_parameters, std::span<double> by_u) const override;
  double noise_scale(std::span<const double> parameters,
                     std::span<double> by_parameters) const override;
  double observation_scale(std::span<const double> parameters,
                           std::span<double> by_parameters) const override;

 private:
  TankData data_;
  std::vector<ObservedStep> observed_;
};

// A path of the Ito form and observations at each `stride`-th step, the first at step 0, from the
// distribution that the data's scheme and parameters say; fills rain-many steps. For tests and experiments.
struct TankRun {
  std::vector<double> x;  // N + 1 values
  TankData data;          // with observed_at and observed filled
};
TankRun simulate_tank(TankData data, const TankParameters& parameters, Index stride,
                      const StreamKey& noise);

}  // namespace credo::models
