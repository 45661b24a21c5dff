// Clusters against single sites on an Ising grid at the critical coupling: the autocorrelation time
// of the squared magnetisation in sweeps, and the energy against Onsager's (X11 of the catalogue's
// chapter 12).
#include "diagnose/convergence.hpp"
#include "examples/support/experiment.hpp"
#include "infer/gibbs/clusters.hpp"
#include "infer/gibbs/lattice_gibbs.hpp"

namespace {
using namespace credo;
using namespace credo::infer::gibbs;

constexpr Index kSide = 32, kSweeps = 20000, kWarmup = 1000;

struct Trace {
  double time = 0.0;            // sweeps for one independent draw
  double agree = 0.0;           // mean of s_i s_j over edges
  std::vector<double> squares;  // squared magnetisation a site, sweep by sweep
};

template <class Kernel>
Trace run(Kernel&& kernel) {
  const Lattice& lattice = kernel.lattice();
  Spins spins(static_cast<std::size_t>(lattice.num_sites()), 0);
  Trace trace;
  for (std::uint32_t i = 0; i < kWarmup + kSweeps; ++i) {
    kernel.step(spins, {.seed = 1, .purpose = purpose::kTransition, .iteration = i});
    if (i < kWarmup) continue;
    trace.squares.push_back(magnetisation(spins) * magnetisation(spins));
    trace.agree += lattice.log_weight(spins) / (2.0 * kSide * kSide * kCriticalIsingCoupling);
  }
  trace.agree /= kSweeps;
  trace.time = kSweeps / diagnose::plain_ess(diagnose::Chains{trace.squares, kSweeps, 1});
  return trace;
}
}  // namespace

int main(int argc, char** argv) {
  credo::examples::Experiment experiment("Ising at the critical coupling: clusters, single sites",
                                         argc, argv);
  const Lattice lattice = Lattice::ising(
      {.rows = kSide, .cols = kSide, .coupling = kCriticalIsingCoupling, .periodic = true});
  const Trace single = run(ColouredGibbs(lattice)), clusters = run(SwendsenWang(lattice));
  experiment.note("autocorrelation time of a checkerboard, sweeps", single.time);
  experiment.note("autocorrelation time of Swendsen-Wang, sweeps", clusters.time);
  experiment.at_least("checkerboard / Swendsen-Wang", single.time / clusters.time, 5.0);
  // sqrt(1/2) on the infinite grid (Onsager); on a torus of side n 0.311 / n more [ferdinand1969].
  experiment.within("mean of s_i s_j over neighbours", clusters.agree, 0.717, 0.005);

  examples::Table& squares = experiment.table("squares", {"sweep", "checkerboard", "clusters"});
  for (std::size_t i = 0; i < 400; ++i)
    squares.row({static_cast<double>(i), single.squares[i], clusters.squares[i]});
  return experiment.finish();
}
