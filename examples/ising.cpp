// Clusters against single sites on an Ising grid (X11 of the catalogue's chapter 12). At the
// critical coupling: the autocorrelation time of the squared magnetisation in sweeps, and the
// energy against Onsager's. Below the critical temperature: how often the magnetisation changes its
// sign.
#include "diagnose/convergence.hpp"
#include "examples/support/experiment.hpp"
#include "infer/gibbs/clusters.hpp"
#include "infer/gibbs/lattice_gibbs.hpp"

namespace {
using namespace credo;
using namespace credo::infer::gibbs;

constexpr Index kSide = 32, kSweeps = 20000, kWarmup = 1000;
constexpr double kColdCoupling = 0.5;

struct Trace {
  double time = 0.0;            // sweeps for one independent draw
  double agree = 0.0;           // mean of s_i s_j over edges
  std::vector<double> squares;  // squared magnetisation a site, sweep by sweep
  std::vector<double> moments;  // the magnetisation itself
};

template <class Kernel>
Trace run(Kernel&& kernel) {
  const Lattice& lattice = kernel.lattice();
  Spins spins(static_cast<std::size_t>(lattice.num_sites()), 0);
  Trace trace;
  for (std::uint32_t i = 0; i < kWarmup + kSweeps; ++i) {
    kernel.step(spins, {.seed = 1, .purpose = purpose::kTransition, .iteration = i});
    if (i < kWarmup) continue;
    trace.moments.push_back(magnetisation(spins));
    trace.squares.push_back(trace.moments.back() * trace.moments.back());
    // An edge that agrees has the coupling as its log weight, agreement() / 2.
    trace.agree += lattice.log_weight(spins) / (kSide * kSide * lattice.agreement());
  }
  trace.agree /= kSweeps;
  trace.time = kSweeps / diagnose::plain_ess(diagnose::Chains{trace.squares, kSweeps, 1});
  return trace;
}

double sign_changes(const std::vector<double>& moments) {
  double count = 0.0;
  for (std::size_t i = 1; i < moments.size(); ++i) count += moments[i] * moments[i - 1] < 0.0;
  return count;
}
double mean_size(const std::vector<double>& moments) {
  double sum = 0.0;
  for (const double m : moments) sum += std::fabs(m) / static_cast<double>(moments.size());
  return sum;
}

// To change its sign by single sites the grid must grow two walls of 32 sites, which cost
// 2 J + log tanh J each site: a weight of exp(-14.6) at J = 1/2. Clusters change it half the time.
void below_critical(examples::Experiment& experiment) {
  const Lattice lattice =
      Lattice::ising({.rows = kSide, .cols = kSide, .coupling = kColdCoupling, .periodic = true});
  const Trace single = run(ColouredGibbs(lattice)), clusters = run(SwendsenWang(lattice));
  experiment.at_most("cold: changes of sign, checkerboard", sign_changes(single.moments), 0.0);
  experiment.within("cold: changes of sign a sweep, Swendsen-Wang",
                    sign_changes(clusters.moments) / kSweeps, 0.5, 4.0 * 0.5 / std::sqrt(kSweeps));
  // Of the infinite grid [yang1952]; on this one two walls at any of 32 x 32 / 2 places, in two
  // directions, have a weight of 1024 exp(-14.6) = 5e-4.
  const double exact = std::pow(1.0 - std::pow(std::sinh(2.0 * kColdCoupling), -4.0), 0.125);
  for (const auto& [name, trace] : {std::pair{"checkerboard", &single}, {"clusters", &clusters}}) {
    std::vector<double> sizes;
    for (const double m : trace->moments) sizes.push_back(std::fabs(m));
    experiment.within(std::string("cold: mean |magnetisation|, ") + name, mean_size(trace->moments),
                      exact, 4.0 * diagnose::mcse_mean({sizes, kSweeps, 1}) + 1e-3);
  }
  examples::Table& cold = experiment.table("cold", {"sweep", "checkerboard", "clusters"});
  for (std::size_t i = 0; i < 200; ++i)
    cold.row({static_cast<double>(i), single.moments[i], clusters.moments[i]});
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

  below_critical(experiment);
  examples::Table& squares = experiment.table("squares", {"sweep", "checkerboard", "clusters"});
  for (std::size_t i = 0; i < 400; ++i)
    squares.row({static_cast<double>(i), single.squares[i], clusters.squares[i]});
  return experiment.finish();
}
