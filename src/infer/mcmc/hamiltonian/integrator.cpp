#include "infer/mcmc/hamiltonian/integrator.hpp"

namespace credo::infer {
namespace {
constexpr std::array<double, 2> kLeapfrogKicks = {0.5, 0.5};
constexpr std::array<double, 1> kLeapfrogDrifts = {1.0};

// Smallest expected energy error for its stages [blanes2014, tables 2 and 3].
constexpr double kTwo = 0.21132486540518711775;  // (3 - sqrt 3) / 6
constexpr std::array<double, 3> kTwoKicks = {kTwo, 1.0 - 2.0 * kTwo, kTwo};
constexpr std::array<double, 2> kTwoDrifts = {0.5, 0.5};

constexpr double kThreeKick = 0.11888010966548, kThreeDrift = 0.29619504261126;
constexpr std::array<double, 4> kThreeKicks = {kThreeKick, 0.5 - kThreeKick, 0.5 - kThreeKick,
                                               kThreeKick};
constexpr std::array<double, 3> kThreeDrifts = {kThreeDrift, 1.0 - 2.0 * kThreeDrift, kThreeDrift};

// Leapfrog for θ, 1 - 2θ and θ of the step, θ = 1 / (2 - 2^(1/3)) [yoshida1990].
constexpr double kTheta = 1.35120719195965763405;
constexpr std::array<double, 4> kFourKicks = {0.5 * kTheta, 0.5 * (1.0 - kTheta),
                                              0.5 * (1.0 - kTheta), 0.5 * kTheta};
constexpr std::array<double, 3> kFourDrifts = {kTheta, 1.0 - 2.0 * kTheta, kTheta};

constexpr std::array<double, 2> kEulerKicks = {1.0, 0.0};

constexpr std::array kIntegrators = {
    Integrator{"leapfrog", 2, kLeapfrogKicks, kLeapfrogDrifts, true, "neal2011"},
    Integrator{"two_stage", 2, kTwoKicks, kTwoDrifts, true, "blanes2014"},
    Integrator{"three_stage", 2, kThreeKicks, kThreeDrifts, true, "blanes2014"},
    Integrator{"forest_ruth", 4, kFourKicks, kFourDrifts, true, "yoshida1990"}};
constexpr Integrator kSymplecticEuler{"symplectic_euler", 1,     kEulerKicks,
                                      kLeapfrogDrifts,    false, "hairer2006"};
}  // namespace

const Integrator& integrator(IntegratorKind kind) {
  return kIntegrators[static_cast<std::size_t>(kind)];
}

const Integrator& symplectic_euler() { return kSymplecticEuler; }

Step<Nothing> integrate(PhasePoint& point, PhasePoint& scratch, const Integrator& by,
                        double step_size, const Metric& metric) {
  PhasePoint *from = &point, *to = &scratch;
  for (std::size_t stage = 0; stage < by.drifts.size(); ++stage) {
    kick_and_drift(*from, *to, by.kicks[stage] * step_size, by.drifts[stage] * step_size, metric);
    to->log_density = (co_await evaluate(to->position, to->gradient)).log_density;
    std::swap(from, to);
  }
  last_kick(*from, by.kicks.back() * step_size, metric);
  if (from != &point) std::swap(point, scratch);
  co_return Nothing{};
}

void euler_step(const PhasePoint& from, PhasePoint& to, double step_size, const Metric& metric) {
  metric.velocity(from.momentum, to.velocity);
  for (std::size_t d = 0; d < from.position.size(); ++d) {
    to.position[d] = from.position[d] + step_size * to.velocity[d];
    to.momentum[d] = from.momentum[d] + step_size * from.gradient[d];
  }
}

// `momentum` holds v; `velocity` is scratch memory.
void sqrt_metric_second_half(PhasePoint& point, double step_size, const Metric& metric) {
  metric.shape_gradient(point.gradient, point.velocity);
  for (std::size_t d = 0; d < point.momentum.size(); ++d)
    point.momentum[d] += 0.5 * step_size * point.velocity[d];
}

void sqrt_metric_first_half(PhasePoint& point, double step_size, const Metric& metric) {
  sqrt_metric_second_half(point, step_size, metric);
  metric.shape_move(point.momentum, point.velocity);
  for (std::size_t d = 0; d < point.position.size(); ++d)
    point.position[d] += step_size * point.velocity[d];
}

}  // namespace credo::infer
