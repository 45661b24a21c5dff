// Single flips of Metropolis on an Ising lattice small enough to enumerate (E15 of the catalogue's
// file 000): energy, magnetisation and its distribution against all 65,536 states.
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/compose/chooser.hpp"
#include "models/lattice/lattice_gibbs.hpp"

namespace {
using namespace credo;
using namespace credo::models;

constexpr Index kSide = 4, kSites = kSide * kSide;
constexpr Index kChains = 20, kSweeps = 20'000;  // of 16 flips

// Σ s and Σ s s over neighbours determine the weight.
struct Sums {
  double magnetisation = 0.0, agreement = 0.0;
};
Sums sums_of(const Lattice& lattice, std::span<const Spin> spins) {
  const auto sign = [&](Index site) { return spins[static_cast<std::size_t>(site)] ? 1.0 : -1.0; };
  Sums sums;
  for (Index site = 0; site < kSites; ++site) {
    sums.magnetisation += sign(site);
    for (const Index next : {lattice.right(site), lattice.down(site)})
      if (next >= 0) sums.agreement += sign(site) * sign(next);
  }
  return sums;
}

struct Distribution {
  double magnetisation = 0.0, square = 0.0, agreement = 0.0;
  std::array<double, kSites + 1> of_magnetisation{};  // by the number of spins that are up
};
std::size_t ups(double magnetisation) {
  return static_cast<std::size_t>((magnetisation + static_cast<double>(kSites)) / 2.0 + 0.5);
}

Distribution enumerate(const Lattice& lattice) {
  Distribution distribution;
  Spins spins(kSites);
  double total = 0.0;
  for (std::uint32_t state = 0; state < (1U << kSites); ++state) {
    for (std::size_t site = 0; site < kSites; ++site) spins[site] = (state >> site) & 1U;
    const double weight = std::exp(lattice.log_weight(spins));
    const Sums sums = sums_of(lattice, spins);
    total += weight;
    distribution.magnetisation += weight * sums.magnetisation;
    distribution.square += weight * sums.magnetisation * sums.magnetisation;
    distribution.agreement += weight * sums.agreement;
    distribution.of_magnetisation[ups(sums.magnetisation)] += weight;
  }
  for (double* value : {&distribution.magnetisation, &distribution.square, &distribution.agreement})
    *value /= total;
  for (double& share : distribution.of_magnetisation) share /= total;
  return distribution;
}

// By chain: mean magnetisation, its square, agreement, and the distribution of the magnetisation.
struct Runs {
  std::vector<double> magnetisation, square, agreement;
  std::array<double, kSites + 1> of_magnetisation{};
};
Runs run(const Lattice& lattice) {
  Runs runs;
  for (std::uint32_t c = 0; c < kChains; ++c) {
    Rng rng({.seed = 15, .purpose = purpose::kTest, .chain = c});
    infer::RngChooser chooser(rng);
    Spins spins(kSites, static_cast<Spin>(c % 2));
    Distribution distribution;
    for (Index sweep = -1000; sweep < kSweeps; ++sweep) {
      for (Index flip = 0; flip < kSites; ++flip) metropolis_flip(lattice, spins, chooser);
      if (sweep < 0) continue;  // warm-up
      const Sums sums = sums_of(lattice, spins);
      distribution.magnetisation += sums.magnetisation;
      distribution.square += sums.magnetisation * sums.magnetisation;
      distribution.agreement += sums.agreement;
      runs.of_magnetisation[ups(sums.magnetisation)] += 1.0 / (kChains * kSweeps);
    }
    runs.magnetisation.push_back(distribution.magnetisation / kSweeps);
    runs.square.push_back(distribution.square / kSweeps);
    runs.agreement.push_back(distribution.agreement / kSweeps);
  }
  return runs;
}

void claim(examples::Experiment& experiment, const std::string& name, const Lattice& lattice) {
  const Distribution exact = enumerate(lattice);
  const Runs found = run(lattice);
  const auto within = [&](const char* what, std::span<const double> values, double expected) {
    const examples::Estimate mean = examples::mean_of(values);
    experiment.within(name + what, mean.mean, expected, 4.0 * mean.error);
  };
  within(": magnetisation", found.magnetisation, exact.magnetisation);
  within(": its square", found.square, exact.square);
  within(": neighbours s s", found.agreement, exact.agreement);
  examples::Table& distribution = experiment.table(name, {"magnetisation", "exact", "found"});
  for (std::size_t k = 0; k <= kSites; ++k)
    distribution.row({2.0 * static_cast<double>(k) - static_cast<double>(kSites),
                      exact.of_magnetisation[k], found.of_magnetisation[k]});
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Single flips on a 4 x 4 Ising lattice, against all its states",
                                  argc, argv);
  claim(experiment, "free", Lattice::ising({.rows = kSide, .cols = kSide, .coupling = 0.35}));
  claim(experiment, "field",
        Lattice::ising({.rows = kSide, .cols = kSide, .coupling = 0.35, .field = 0.05}));
  claim(experiment, "repelling",
        Lattice::ising({.rows = kSide, .cols = kSide, .coupling = -0.4, .field = 0.1}));
  return experiment.finish();
}
