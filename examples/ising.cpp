// Clusters against single sites on an Ising grid at the critical coupling: the autocorrelation time
// of the squared magnetisation in sweeps, and the energy against Onsager's. Ends with status 1 if
// Swendsen-Wang isn't at least five times faster a sweep, or the energy is off.
#include <cstdio>

#include "diagnose/convergence.hpp"
#include "infer/gibbs/clusters.hpp"
#include "infer/gibbs/lattice_gibbs.hpp"

namespace {
using namespace credo;
using namespace credo::infer::gibbs;

constexpr Index kSide = 32, kSweeps = 20000, kWarmup = 1000;

struct Trace {
  double time = 0.0;   // sweeps for one independent draw
  double agree = 0.0;  // mean of s_i s_j over edges
};

template <class Kernel>
Trace run(Kernel&& kernel) {
  const Lattice& lattice = kernel.lattice();
  Spins spins(static_cast<std::size_t>(lattice.num_sites()), 0);
  std::vector<double> squares;
  Trace trace;
  for (std::uint32_t i = 0; i < kWarmup + kSweeps; ++i) {
    kernel.step(spins, {.seed = 1, .purpose = purpose::kTransition, .iteration = i});
    if (i < kWarmup) continue;
    squares.push_back(magnetisation(spins) * magnetisation(spins));
    trace.agree += lattice.log_weight(spins) / (2.0 * kSide * kSide * kCriticalIsingCoupling);
  }
  trace.agree /= kSweeps;
  trace.time = kSweeps / diagnose::plain_ess(diagnose::Chains{squares, kSweeps, 1});
  return trace;
}
}  // namespace

int main() {
  const Lattice lattice = Lattice::ising(
      {.rows = kSide, .cols = kSide, .coupling = kCriticalIsingCoupling, .periodic = true});
  const Trace single = run(ColouredGibbs(lattice)), clusters = run(SwendsenWang(lattice));
  std::printf("checkerboard    autocorrelation time %7.1f sweeps, neighbours agree by %.3f\n",
              single.time, single.agree);
  std::printf("Swendsen-Wang   autocorrelation time %7.1f sweeps, neighbours agree by %.3f\n",
              clusters.time, clusters.agree);
  // sqrt(1/2) on the infinite grid (Onsager); on a torus of side n 0.311 / n more [ferdinand1969].
  const bool right = std::abs(clusters.agree - 0.717) < 0.005;
  return right && single.time > 5.0 * clusters.time ? 0 : 1;
}
