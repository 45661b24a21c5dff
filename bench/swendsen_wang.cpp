// Sweeps a second on a square Ising grid at the critical coupling: credo_bench_lattice [SIDE]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "models/lattice/clusters.hpp"
#include "models/lattice/lattice_gibbs.hpp"

namespace {
using namespace credo;
using namespace credo::models;

template <class Kernel>
void report(const char* name, Kernel&& kernel) {
  Spins spins(static_cast<std::size_t>(kernel.lattice().num_sites()), 0);
  std::vector<double> seconds;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const auto start = std::chrono::steady_clock::now();
    kernel.step(spins, {.seed = 1, .purpose = purpose::kTransition, .iteration = i});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (i >= 20) seconds.push_back(took.count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + 20, seconds.end());
  std::printf("%-30s %8.2f ms a sweep, %7.1f sweeps a second\n", name, 1e3 * seconds[20],
              1.0 / seconds[20]);
}
}  // namespace

int main(int argc, char** argv) {
  const Index side = argc > 1 ? std::atol(argv[1]) : 512;
  const Lattice lattice = Lattice::ising(
      {.rows = side, .cols = side, .coupling = kCriticalIsingCoupling, .periodic = true});
  report("Swendsen-Wang, 1 thread", SwendsenWang(lattice, 1));
  report("Swendsen-Wang, 2 threads", SwendsenWang(lattice, 2));
  report("checkerboard, 1 thread", ColouredGibbs(lattice, 1));
  report("checkerboard, 2 threads", ColouredGibbs(lattice, 2));
}
