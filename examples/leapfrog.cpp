// The leapfrog integrator on a bent potential (E17 of the catalogue's file 000): forward, momentum
// turned, forward again ends at the start; volume is kept; the energy error is of second order.
#include "density/function_density.hpp"
#include "examples/support/experiment.hpp"
#include "infer/core/group.hpp"
#include "infer/mcmc/hamiltonian/integrator.hpp"

namespace {
using namespace credo;
using namespace credo::infer;

// V = x⁴/4 + (y - x²)²: two coordinates, no symmetry that would hide an error.
std::shared_ptr<const density::LogDensity> bent() {
  return density::make_density(2, [](std::span<const double> q, std::span<double> gradient) {
    const double off = q[1] - q[0] * q[0];
    gradient[0] = -q[0] * q[0] * q[0] + 4.0 * off * q[0];
    gradient[1] = -2.0 * off;
    return -0.25 * q[0] * q[0] * q[0] * q[0] - off * off;
  });
}

using Phase = std::array<double, 4>;  // position, momentum

struct Path {
  double step_size;
  Index num_steps;
  bool leapfrog = true;  // or Euler's steps
  std::vector<double> energies = {};
};

double energy_of(const PhasePoint& at) {
  return 0.5 * (at.momentum[0] * at.momentum[0] + at.momentum[1] * at.momentum[1]) - at.log_density;
}

Step<Nothing> travel(Phase& phase, Path& path) {
  const Metric metric(MetricKind::unit, 2);
  PhasePoints points(2, 2);
  PhasePoint *at = &points[0], *other = &points[1];
  for (std::size_t d = 0; d < 2; ++d) at->position[d] = phase[d], at->momentum[d] = phase[d + 2];
  at->log_density = (co_await evaluate(at->position, at->gradient)).log_density;
  path.energies = {energy_of(*at)};
  for (Index i = 0; i < path.num_steps; ++i) {
    if (path.leapfrog) {
      co_await integrate(*at, *other, integrator(IntegratorKind::leapfrog), path.step_size, metric);
    } else {
      euler_step(*at, *other, path.step_size, metric);
      other->log_density = (co_await evaluate(other->position, other->gradient)).log_density;
      std::swap(at, other);
    }
    path.energies.push_back(energy_of(*at));
  }
  for (std::size_t d = 0; d < 2; ++d) phase[d] = at->position[d], phase[d + 2] = at->momentum[d];
  co_return Nothing{};
}

Phase end_of(Phase phase, Path& path) {
  std::vector<ChainProgram> programs;
  programs.push_back({.program = travel(phase, path), .refusals = {}});
  run_groups(*bent(), programs, {.num_threads = 1});
  return phase;
}
Phase end_of(const Phase& phase, Path&& path) { return end_of(phase, path); }

Phase turned(Phase phase) {
  phase[2] = -phase[2], phase[3] = -phase[3];
  return phase;
}

double distance(const Phase& a, const Phase& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < 4; ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

// Of the map from start to end, by central differences of the step 1e-5: an error of about 1e-10
// times third derivatives, and 1e-11 of rounding; elimination without pivots on a matrix near a
// product of shears.
double determinant_of(const Phase& start, const Path& path) {
  std::array<Phase, 4> columns{};
  for (std::size_t j = 0; j < 4; ++j) {
    Phase up = start, down = start;
    up[j] += 1e-5, down[j] -= 1e-5;
    const Phase above = end_of(up, Path(path)), below = end_of(down, Path(path));
    for (std::size_t i = 0; i < 4; ++i) columns[j][i] = (above[i] - below[i]) / 2e-5;
  }
  double determinant = 1.0;
  for (std::size_t k = 0; k < 4; ++k) {
    determinant *= columns[k][k];
    for (std::size_t j = k + 1; j < 4; ++j) {
      const double factor = columns[j][k] / columns[k][k];
      for (std::size_t i = k; i < 4; ++i) columns[j][i] -= factor * columns[k][i];
    }
  }
  return determinant;
}

double energy_error(double step_size, bool leapfrog) {
  Path path{.step_size = step_size,
            .num_steps = static_cast<Index>(2.0 / step_size + 0.5),
            .leapfrog = leapfrog};
  end_of({0.7, -0.2, 0.5, -1.1}, path);
  double worst = 0.0;
  for (const double energy : path.energies)
    worst = std::max(worst, std::fabs(energy - path.energies[0]));
  return worst;
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Leapfrog: reversible, volume, energy", argc, argv);
  const Phase start = {0.7, -0.2, 0.5, -1.1};
  const Path path{.step_size = 0.05, .num_steps = 200};
  const Phase end = end_of(start, Path(path));
  experiment.at_least("distance of the end from the start", distance(end, start), 0.1);
  // Roundings of 400 steps of order 1e-16, amplified by an orbit that is at worst weakly chaotic.
  experiment.at_most("distance after the way back",
                     distance(turned(end_of(turned(end), Path(path))), start), 1e-10);
  experiment.at_least(
      "the same for Euler's steps",
      [&] {
        const Path euler{.step_size = 0.05, .num_steps = 20, .leapfrog = false};
        return distance(turned(end_of(turned(end_of(start, Path(euler))), Path(euler))), start);
      }(),
      1e-3);
  const Path once{.step_size = 0.05, .num_steps = 20};
  experiment.within("determinant of 20 steps", determinant_of(start, once), 1.0, 1e-6);
  const Path euler{.step_size = 0.05, .num_steps = 20, .leapfrog = false};
  experiment.at_least("determinant of 20 steps of Euler's", determinant_of(start, euler), 1.05);

  // The slope of log error against log step: 2, and 1 for Euler; terms of the next even, or next,
  // order at the largest of these steps, 0.02, are below 0.05.
  experiment.within("order of the energy error",
                    std::log2(energy_error(0.02, true) / energy_error(0.005, true)) / 2.0, 2.0,
                    0.05);
  experiment.within("the same for Euler's steps",
                    std::log2(energy_error(0.002, false) / energy_error(0.0005, false)) / 2.0, 1.0,
                    0.05);

  examples::Table& errors = experiment.table("errors", {"step", "leapfrog", "euler"});
  for (double step = 0.32; step > 1e-3; step *= 0.5)
    errors.row({step, energy_error(step, true), energy_error(step, false)});
  return experiment.finish();
}
