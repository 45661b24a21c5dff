// Eigenvalues of a finite chain and its speed by them.
//
// For a chain that is irreducible with stationary distribution pi. D P D^-1 with D = diag(sqrt(pi)) has the
// eigenvalues of P; it is symmetric when the chain is reversible, and its singular values bound the
// convergence of any chain.
#pragma once
#include "infer/finite/chain_distributions.hpp"

namespace credo::infer::finite {

struct Spectrum {
  std::vector<std::complex<double>> values;  // by modulus, descending; the first one is 1
  bool reversible = false;   // then values are real, from a symmetric matrix, to 1e-14 n
  double second_real = 0.0;  // the largest real part after the first; -1 with one state
  double second_modulus = 0.0;
  double second_singular = 0.0;  // singular value of D P D^-1

  double gap() const { return 1.0 - second_real; }                 // governs autocorrelation
  double absolute_gap() const { return 1.0 - second_modulus; }     // governs convergence
  double relaxation_time() const { return 1.0 / absolute_gap(); }  // infinite if periodic
};

// `tolerance`: largest balance_error of a chain that counts as reversible.
Spectrum spectrum_of(const FiniteChain& chain, std::span<const double> distribution,
                     double tolerance = kBalanceTolerance);

// All eigenvalues of any chain, reducible ones, too, by modulus, descending.
std::vector<std::complex<double>> eigenvalues_by_modulus(const FiniteChain& chain);

// Bounds of the mixing time to `epsilon` in total variation [levin2017, theorems 12.4 and 12.5]:
//   (t_rel - 1) log(1 / (2 epsilon)) <= t_mix,   and for a reversible chain
//   t_mix <= t_rel log(1 / (epsilon min pi));
// any chain: t_mix <= log(1 / (2 epsilon sqrt(min pi))) / log(1 / sigma), sigma the second singular
// value. The smaller upper bound is given, infinite if neither exists; both in whole steps.
struct MixingBounds {
  double lower = 0.0, upper = 0.0;
};
MixingBounds mixing_bounds(const Spectrum& spectrum, std::span<const double> distribution,
                           double epsilon);

}  // namespace credo::infer::finite
