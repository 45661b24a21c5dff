// Single-site kernels on a lattice: Gibbs (heat bath) by random scan, sweep or colours, and the
// Metropolis flip.
//
//   update_random_site(lattice, spins, chooser);     one site; reversible
//   sweep_sites(lattice, spins, chooser);            all sites in order; not reversible
//   ColouredGibbs gibbs(lattice, num_threads);
//   gibbs.step(spins, {.seed = 1, .purpose = purpose::kTransition, .iteration = i});
//
// All leave the lattice's distribution invariant and reach every state. They move slowly where neighbours
// hold together, large |J|: there clusters (models/lattice/clusters.hpp) do. `spins` must be such that
// lattice.check(spins) passes; the kernels don't look.
#pragma once
#include "base/team.hpp"
#include "infer/gibbs/colouring.hpp"
#include "infer/gibbs/site_draws.hpp"
#include "models/lattice/lattice.hpp"

namespace credo::models {

// From the full conditional. Ising: +1 with probability sigma(2 J eta + evidence), eta the sum of
// the neighbours; Potts: softmax of J times the neighbours that have the value.
void update_site(const Lattice& lattice, std::span<Spin> spins, Index site,
                 infer::Chooser& chooser);
void update_random_site(const Lattice& lattice, std::span<Spin> spins, infer::Chooser& chooser);
void sweep_sites(const Lattice& lattice, std::span<Spin> spins, infer::Chooser& chooser);

// A random site is offered another value, chosen uniformly, and takes it with probability
// min(1, ratio of the weights). Without coupling and evidence an Ising lattice has period 2 with
// it.
void metropolis_flip(const Lattice& lattice, std::span<Spin> spins, infer::Chooser& chooser);

// Colour by colour, the sites of one colour at once: a checkerboard on grids that allow two
// colours. Equal states for any number of threads.
class ColouredGibbs {
 public:
  explicit ColouredGibbs(Lattice lattice, Index num_threads = 1);
  // Other classes, whose sites must not be neighbours: throws Error(data) if they are, or if they
  // don't hold every site once.
  ColouredGibbs(Lattice lattice, infer::gibbs::ColourClasses classes, Index num_threads = 1);

  void step(std::span<Spin> spins, infer::Chooser& chooser) const;
  void step(std::span<Spin> spins, const StreamKey& key) const;  // one key a sweep
  Index num_colours() const { return ssize(classes_); }
  const Lattice& lattice() const { return lattice_; }

 private:
  void update_share(std::span<Spin> spins, std::span<const Index> sites,
                    const StreamKey& key) const;

  Lattice lattice_;
  infer::gibbs::ColourClasses classes_;
  std::unique_ptr<Team> team_;  // null: one thread
};

}  // namespace credo::models
