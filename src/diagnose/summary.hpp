// The line of a summary table, and the energy diagnostic of Hamiltonian samplers.
#pragma once
#include "diagnose/chains.hpp"

namespace credo::diagnose {

struct Summary {
  double mean, sd, q5, median, q95;
  double mcse_mean, mcse_sd, mcse_q5, mcse_median, mcse_q95;
  double ess_bulk, ess_tail, r_hat;
};

// NaN where a figure isn't defined (diagnose/convergence.hpp).
Summary summarise(const Chains& chains);

// E-BFMI of each chain from the energies of its transitions: Σ (E_s - E_{s-1})² / Σ (E_s - Ē)².
// Below about 0.3 the momentum is refreshed too little for the tails of the energy
// [betancourt2016]. NaN for constant energies and fewer than three draws.
std::vector<double> e_bfmi(const Chains& energy);

}  // namespace credo::diagnose
