// Langevin kernels: MALA, which is Hamiltonian Monte Carlo with one leapfrog step [besag1994;
// neal2011, sec. 5.2]; its unadjusted form; and underdamped dynamics by splitting [leimkuhler2013].
#pragma once
#include "infer/core/step.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

inline constexpr FieldSpec kStepSizeField{
    .name = "step_size", .help = "initial step size", .range = positive(), .stan_name = "stepsize"};
inline constexpr FieldSpec kMetricField{
    .name = "metric", .help = "shape of the metric that warm-up estimates", .stan_name = "metric"};

// ---- MALA ----

struct MalaOptions {
  double step_size = 1.0;
  MetricKind metric = MetricKind::diagonal;
  double target_accept = 0.574;  // best as the dimension grows [roberts1998]

  static void describe(auto& self, auto&& field) {
    field(self.step_size, kStepSizeField);
    field(self.metric, kMetricField);
    field(self.target_accept, FieldSpec{.name = "target_accept",
                                        .help = "acceptance that warm-up aims at",
                                        .range = between(0.0, 1.0)});
  }
};

struct MalaInfo {
  double log_density = 0.0, accept_stat = 0.0, step_size = 0.0;
  bool accepted = false;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.step_size, kStepSizeColumn);
    field(self.accepted, kAcceptedColumn);
  }
};

// Leaves the target invariant for every step size and metric.
class Mala final : public PooledKernel {
 public:
  using Options = MalaOptions;
  using State = PointState;
  using Info = MalaInfo;
  static constexpr bool kNeedsGradient = true;

  Mala(const MalaOptions& options, Index dimension);
  Step<MalaInfo> step(PointState& current, Rng& rng);

  MalaOptions options;
  HmcSettings settings;

 private:
  PhasePoints points_;
};

// ---- unadjusted ----

struct UlaOptions {
  double step_size = 0.1;
  MetricKind metric = MetricKind::diagonal;

  static void describe(auto& self, auto&& field) {
    field(self.step_size, FieldSpec{.name = "step_size",
                                    .help = "step size, which is not adapted",
                                    .range = positive(),
                                    .stan_name = "stepsize"});
    field(self.metric, FieldSpec{.name = "metric",
                                 .help = "shape of the metric, which is not adapted",
                                 .stan_name = "metric"});
  }
};

struct UlaInfo {
  double log_density = 0.0, step_size = 0.0;
  bool refused = false;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.step_size, kStepSizeColumn);
    field(self.refused, FieldSpec{.name = "refused",
                                  .help = "1 if the step led out of the support and was not taken",
                                  .stan_name = "refused__"});
  }
};

// x' = x + h²/2 M⁻¹ ∇log π(x) + h M^(-1/2) z. Does NOT leave the target invariant: draws of
// N(0, σ²) have variance σ² / (1 - h² / (4 σ²)).
class Ula final : public PooledKernel {
 public:
  using Options = UlaOptions;
  using State = PointState;
  using Info = UlaInfo;
  static constexpr bool kNeedsGradient = true;

  Ula(const UlaOptions& options, Index dimension);
  Step<UlaInfo> step(PointState& current, Rng& rng);

  UlaOptions options;
  HmcSettings settings;

 private:
  PhasePoints points_;
};

// ---- underdamped ----

struct UnderdampedOptions {
  double step_size = 0.1;
  double friction = 1.0;
  std::string splitting = "BAOAB";
  MetricKind metric = MetricKind::unit;

  static void describe(auto& self, auto&& field) {
    field(self.step_size, FieldSpec{.name = "step_size",
                                    .help = "step size, which is not adapted",
                                    .range = positive(),
                                    .stan_name = "stepsize"});
    field(self.friction, FieldSpec{.name = "friction",
                                   .help = "rate at which velocities are forgotten",
                                   .range = positive()});
    field(self.splitting, FieldSpec{.name = "splitting",
                                    .help = "order of A (drift), B (kick) and O (friction with "
                                            "noise); palindromes have errors of second order"});
    field(self.metric, FieldSpec{.name = "metric",
                                 .help = "shape of the metric, which is not adapted",
                                 .stan_name = "metric"});
  }
};

struct UnderdampedState : PointState {
  std::vector<double> momentum;

  static void saved(auto& self, auto&& field) {
    PointState::saved(self, field);
    field(self.momentum);
  }
};

struct UnderdampedInfo {
  double log_density = 0.0, step_size = 0.0;
  bool refused = false;
  double kinetic_temperature = 0.0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.step_size, kStepSizeColumn);
    field(self.refused, FieldSpec{.name = "refused",
                                  .help = "1 if the step left the support: velocity reversed",
                                  .stan_name = "refused__"});
    field(self.kinetic_temperature,
          FieldSpec{.name = "kinetic_temperature",
                    .help = "momentumᵀ M⁻¹ momentum / dimension; its mean is near 1",
                    .range = at_least(0.0)});
  }
};

// dx = M⁻¹ p dt, dp = ∇log π dt - γ p dt + sqrt(2 γ) M^(1/2) dW, by a string of exact parts: each
// letter has its share of the step. Not adjusted: the bias is of second order in the step size for
// palindromes; BAOAB's and ABOBA's positions on a normal target have no bias.
class Underdamped final : public PooledKernel {
 public:
  using Options = UnderdampedOptions;
  using State = UnderdampedState;
  using Info = UnderdampedInfo;
  static constexpr bool kNeedsGradient = true;

  Underdamped(const UnderdampedOptions& options, Index dimension);
  void init(UnderdampedState& state, Rng& rng) const;
  Step<UnderdampedInfo> step(UnderdampedState& current, Rng& rng);

  UnderdampedOptions options;
  HmcSettings settings;

 private:
  double share(char part) const;  // share of the step for each of its letters
  void drift(UnderdampedState& state, double time);
  void kick(UnderdampedState& state, double time) const;
  void friction_step(UnderdampedState& state, double time, Rng& rng);
  void leave(UnderdampedState& state) const;

  UnderdampedState start_;
  std::vector<double> scratch_;
};

}  // namespace credo::infer
