// Cluster kernels on a lattice with attraction: Swendsen-Wang and Wolff, Ising and Potts.
//
//   const Lattice lattice = Lattice::ising({.rows = 512, .cols = 512, .coupling = 0.44});
//   SwendsenWang clusters(lattice, num_threads);
//   clusters.step(spins, {.seed = 1, .purpose = purpose::kTransition, .iteration = i});
//
// Neighbours that agree are bound with probability 1 - exp(-agreement), 1 - exp(-2 J) for Ising;
// the bonds are the auxiliary variables v of p(x, v), whose sum over v is the distribution of the lattice.
// Given the bonds the connected clusters are independent. Every coupling at least 0 mixes fast
// where single sites take exponentially long; below 0 clusters are refused with Error(data).
#pragma once
#include "base/team.hpp"
#include "infer/gibbs/site_draws.hpp"
#include "models/lattice/lattice.hpp"

namespace credo::models {

// 1 - exp(-agreement).
double bond_probability(const Lattice& lattice);

// All clusters get a new value [swendsen1987]: uniformly, or with the product of their sites'
// evidence. Reversible. States are equal for any number of threads.
class SwendsenWang {
 public:
  explicit SwendsenWang(Lattice lattice, Index num_threads = 1);

  void step(std::span<Spin> spins, infer::Chooser& chooser);
  void step(std::span<Spin> spins, const StreamKey& key);  // one key a step
  const Lattice& lattice() const { return lattice_; }
  Index num_clusters() const { return num_clusters_; }  // clusters in the last step

 private:
  struct Strip {
    Index first, last;  // rows
  };
  Strip strip(Index k) const;
  template <class Draws>
  void bind_strip(std::span<const Spin> spins, Index k, Draws& draws);
  template <class Draws>
  void bind_between(std::span<const Spin> spins, Draws& draws);
  template <class Draws>
  void recolour(std::span<Spin> spins, Draws& draws);
  template <class Draws>
  void recolour_by_evidence(std::span<Spin> spins, Draws& draws);
  void sum_evidence();

  Lattice lattice_;
  double bond_;
  Index num_strips_, num_clusters_ = 0;
  std::vector<std::uint32_t> parents_;  // the smallest site of a cluster is its own parent
  std::vector<double> sums_;            // log weights of a cluster's values, at its smallest site
  std::unique_ptr<Team> team_;
};

// One cluster, grown from a random site, changes its value to another one, chosen uniformly
// [wolff1989]; with evidence it does so with probability min(1, ratio of the cluster's evidence).
// Reversible.
class Wolff {
 public:
  explicit Wolff(Lattice lattice);
  void step(std::span<Spin> spins, infer::Chooser& chooser);
  const Lattice& lattice() const { return lattice_; }
  Index cluster_size() const { return ssize(cluster_); }  // size in the last step

 private:
  void grow(std::span<const Spin> spins, infer::Chooser& chooser);

  Lattice lattice_;
  double bond_;
  std::vector<Index> cluster_;
  std::vector<char> is_in_;
};

}  // namespace credo::models
