// Small lattices for the laboratory: all their states and weights, and the matrix of a kernel.
#pragma once
#include "models/lattice/lattice.hpp"
#include "support/finite_checks.hpp"

namespace credo::testing {

inline std::vector<models::Spins> all_spins(const models::Lattice& lattice) {
  std::vector<models::Spins> states{models::Spins(lattice.num_sites(), 0)};
  for (Index i = 0; i < lattice.num_sites(); ++i) {
    const std::vector<models::Spins> before = states;
    for (Index v = 1; v < lattice.num_values(); ++v) {
      for (models::Spins spins : before) {
        spins[i] = static_cast<models::Spin>(v);
        states.push_back(std::move(spins));
      }
    }
  }
  return states;
}

inline std::vector<double> weights_of(const models::Lattice& lattice) {
  std::vector<double> weights;
  for (const auto& spins : all_spins(lattice))
    weights.push_back(std::exp(lattice.log_weight(spins)));
  return weights;
}

// kernel(spins, chooser)
template <class Kernel>
infer::finite::FiniteChain matrix_on(const models::Lattice& lattice, Kernel&& kernel) {
  return infer::finite::transition_matrix(std::forward<Kernel>(kernel), all_spins(lattice));
}

}  // namespace credo::testing
