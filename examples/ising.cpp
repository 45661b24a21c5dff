// Clusters against single sites on an Ising grid (X11 of the catalogue's chapter 12): one cluster
// move, what is left of the magnetisation after 100 sweeps on both sides of the critical
// temperature, and how often its sign changes below it.
#include <fmt/core.h>

#include "diagnose/convergence.hpp"
#include "examples/support/experiment.hpp"
#include "models/lattice/clusters.hpp"
#include "models/lattice/lattice_gibbs.hpp"

namespace {
using namespace credo;
using namespace credo::models;
using examples::Experiment;

constexpr Index kSide = 32, kSites = kSide * kSide, kSweeps = 15'000, kWarmup = 1000, kLag = 100;
constexpr double kColdCoupling = 0.5;

Lattice grid(double coupling) {
  return Lattice::ising({.rows = kSide, .cols = kSide, .coupling = coupling, .periodic = true});
}

// ---- traces ----

struct Trace {
  double time = 0.0;            // of the squared magnetisation: sweeps for one independent draw
  double agree = 0.0;           // mean of s_i s_j over edges
  std::vector<double> squares;  // squared magnetisation a site, sweep by sweep
  std::vector<double> moments;  // the magnetisation itself, whose mean is 0
};

template <class Kernel>
Trace run(Kernel&& kernel) {
  const Lattice& lattice = kernel.lattice();
  Spins spins(kSites, 0);
  Trace trace;
  for (std::uint32_t i = 0; i < kWarmup + kSweeps; ++i) {
    kernel.step(spins, {.seed = 1, .purpose = purpose::kTransition, .iteration = i});
    if (i < kWarmup) continue;
    trace.moments.push_back(magnetisation(spins));
    trace.squares.push_back(trace.moments.back() * trace.moments.back());
    // An edge that agrees has the coupling as its log weight, agreement() / 2.
    trace.agree += lattice.log_weight(spins) / (kSites * lattice.agreement());
  }
  trace.agree /= kSweeps;
  trace.time = kSweeps / diagnose::plain_ess(diagnose::Chains{trace.squares, kSweeps, 1});
  return trace;
}

// About the known mean 0: a chain that keeps its sign doesn't seem to have forgotten it.
struct Memory {
  double value = 0.0, error = 0.0;  // error: if successive products are uncorrelated
};
Memory memory(const Trace& trace, Index lag) {
  std::vector<double> products;
  for (std::size_t i = static_cast<std::size_t>(lag); i < trace.moments.size(); ++i)
    products.push_back(trace.moments[i] * trace.moments[i - static_cast<std::size_t>(lag)]);
  const double square = diagnose::mean(trace.squares);
  return {diagnose::mean(products) / square,
          std::sqrt(diagnose::variance(products) / static_cast<double>(products.size())) / square};
}

struct Both {
  double coupling;
  Trace single, clusters;
};
Both run_both(double coupling) {
  return {coupling, run(ColouredGibbs(grid(coupling))), run(SwendsenWang(grid(coupling)))};
}

// Given the bonds, clusters get independent signs: nothing of the magnetisation is left after one
// sweep, at any temperature, and products of neighbours in time are martingale differences.
void judge_memory(Experiment& experiment, const Both& both, examples::Table& table) {
  const std::string at = fmt::format("J = {:.4f}: ", both.coupling);
  const Memory next = memory(both.clusters, 1), later = memory(both.single, kLag);
  experiment.within(at + "magnetisation left after a sweep of clusters", next.value, 0.0,
                    4.0 * next.error);
  experiment.at_most(at + "time of its square, sweeps of clusters", both.clusters.time, 10.0);
  experiment.note(at + "time of its square, sweeps of single sites", both.single.time);
  experiment.note(at + "magnetisation left after 100 sweeps of single sites", later.value);
  if (both.coupling < 0.4)  // forgotten long before: a mean of thousands of independent products
    experiment.within("  hot: nothing", later.value, 0.0, 0.1);
  else
    experiment.at_least("  it stalls", later.value, both.coupling == kColdCoupling ? 0.99 : 0.5);
  table.row({both.coupling, later.value, memory(both.clusters, kLag).value});
}

// ---- below the critical temperature ----

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
void judge_cold(Experiment& experiment, const Both& both) {
  experiment.at_most("cold: changes of sign, checkerboard", sign_changes(both.single.moments), 0.0);
  experiment.within("cold: changes of sign a sweep, Swendsen-Wang",
                    sign_changes(both.clusters.moments) / kSweeps, 0.5,
                    4.0 * 0.5 / std::sqrt(kSweeps));
  // Of the infinite grid [yang1952]; on this one two walls at any of 32 x 32 / 2 places, in two
  // directions, have a weight of 1024 exp(-14.6) = 5e-4.
  const double exact = std::pow(1.0 - std::pow(std::sinh(2.0 * kColdCoupling), -4.0), 0.125);
  for (const auto& [name, trace] :
       {std::pair{"checkerboard", &both.single}, {"clusters", &both.clusters}}) {
    std::vector<double> sizes;
    for (const double m : trace->moments) sizes.push_back(std::fabs(m));
    experiment.within(std::string("cold: mean |magnetisation|, ") + name, mean_size(trace->moments),
                      exact, 4.0 * diagnose::mcse_mean({sizes, kSweeps, 1}) + 1e-3);
  }
  examples::Table& cold = experiment.table("cold", {"sweep", "checkerboard", "clusters"});
  for (std::size_t i = 0; i < 200; ++i)
    cold.row({static_cast<double>(i), both.single.moments[i], both.clusters.moments[i]});
}

void judge_critical(Experiment& experiment, const Both& both) {
  experiment.at_least("critical: time of the square, checkerboard / Swendsen-Wang",
                      both.single.time / both.clusters.time, 5.0);
  // sqrt(1/2) on the infinite grid (Onsager); on a torus of side n 0.311 / n more [ferdinand1969].
  experiment.within("critical: mean of s_i s_j over neighbours", both.clusters.agree, 0.717, 0.005);
  examples::Table& squares = experiment.table("squares", {"sweep", "checkerboard", "clusters"});
  for (std::size_t i = 0; i < 400; i += 2)
    squares.row({static_cast<double>(i), both.single.squares[i], both.clusters.squares[i]});
}

// ---- one move ----

// Sites reached from `from` over neighbours that are marked.
Index connected(const Lattice& lattice, const std::vector<char>& marked, Index from) {
  std::vector<char> seen(marked.size(), 0);
  std::vector<Index> open{from};
  seen[static_cast<std::size_t>(from)] = 1;
  Index count = 0;
  while (!open.empty()) {
    const Index site = open.back();
    open.pop_back();
    ++count;
    for (const Index next : lattice.neighbours(site)) {
      const auto k = static_cast<std::size_t>(next);
      if (marked[k] != 0 && seen[k] == 0) seen[k] = 1, open.push_back(next);
    }
  }
  return count;
}

// A cluster that is large but not the whole grid.
void one_move(Experiment& experiment) {
  Rng rng({.seed = 4, .purpose = purpose::kTransition});
  infer::RngChooser chooser(rng);
  Wolff wolff(grid(kCriticalIsingCoupling));
  Spins spins(kSites, 0), before;
  for (Index step = 0; step < 200 || std::abs(wolff.cluster_size() - kSites / 4) > 60; ++step) {
    before = spins;
    wolff.step(spins, chooser);
  }
  std::vector<char> moved;
  std::array<Index, 2> had{};
  Index first = 0;
  for (std::size_t i = 0; i < spins.size(); ++i) {
    moved.push_back(spins[i] != before[i] ? 1 : 0);
    if (moved[i] == 0) continue;
    ++had[before[i]];
    first = static_cast<Index>(i);
  }
  experiment.note("a move: sites of the cluster", static_cast<double>(wolff.cluster_size()));
  experiment.within("a move: sites that change", static_cast<double>(had[0] + had[1]),
                    static_cast<double>(wolff.cluster_size()), 0.0);
  experiment.holds("a move: all had the same sign", had[0] == 0 || had[1] == 0);
  experiment.within("a move: of them connected",
                    static_cast<double>(connected(wolff.lattice(), moved, first)),
                    static_cast<double>(wolff.cluster_size()), 0.0);
  examples::Table& table = experiment.table("move", {"col", "row", "before", "after"});
  for (Index i = 0; i < kSites; ++i) {
    const auto k = static_cast<std::size_t>(i);
    table.row({static_cast<double>(i % kSide), static_cast<double>(i / kSide),
               static_cast<double>(before[k]), spins[k] + 0.5 * moved[k]});
  }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Ising on both sides of the critical coupling: clusters, single sites",
                        argc, argv);
  one_move(experiment);
  examples::Table& table = experiment.table("memory", {"coupling", "checkerboard", "clusters"});
  for (const double coupling : {0.2, 0.42, kCriticalIsingCoupling, kColdCoupling}) {
    const Both both = run_both(coupling);
    judge_memory(experiment, both, table);
    if (coupling == kCriticalIsingCoupling) judge_critical(experiment, both);
    if (coupling == kColdCoupling) judge_cold(experiment, both);
  }
  return experiment.finish();
}
