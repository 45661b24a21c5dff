// Small lattices for the laboratory: all their states and weights, and the matrix of a kernel.
#pragma once
#include "models/lattice/lattice.hpp"
#include "support/finite_checks.hpp"

namespace credo::testing {

inline std::vector<infer::gibbs::Spins> all_spins(const infer::gibbs::Lattice& lattice) {
  std::vector<infer::gibbs::Spins> states{infer::gibbs::Spins(lattice.num_sites(), 0)};
  for (Index i = 0; i < lattice.num_sites(); ++i) {
    const std::vector<infer::gibbs::Spins> before = states;
    for (Index v = 1; v < lattice.num_values(); ++v) {
      for (infer::gibbs::Spins spins : before) {
        spins[i] = static_cast<infer::gibbs::Spin>(v);
        states.push_back(std::move(spins));
      }
    }
  }
  return states;
}

inline std::vector<double> weights_of(const infer::gibbs::Lattice& lattice) {
  std::vector<double> weights;
  for (const auto& spins : all_spins(lattice))
    weights.push_back(std::exp(lattice.log_weight(spins)));
  return weights;
}

// kernel(spins, chooser)
template <class Kernel>
infer::finite::FiniteChain matrix_on(const infer::gibbs::Lattice& lattice, Kernel&& kernel) {
  return infer::finite::transition_matrix(std::forward<Kernel>(kernel), all_spins(lattice));
}

}  // namespace credo::testing
