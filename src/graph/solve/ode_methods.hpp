// The solvers' identifiers of the methods that users name.
#pragma once
#include "graph/solve/ode.hpp"
#include "numerics/ode/embedded_pair.hpp"
#include "numerics/ode/multistep_formula.hpp"

namespace credo::graph {

inline bool is_multistep(OdeMethod method) {
  return method == OdeMethod::adams || method == OdeMethod::bdf;
}
// Explicit steps that turn out stiff are given up for BDF, where df/dy is small enough.
inline bool may_turn_stiff(const OdeProblem& problem) {
  constexpr Index kMostStates = 32;
  return problem.method == OdeMethod::dormand_prince && problem.num_states() <= kMostStates;
}
inline numerics::MultistepMethod multistep_of(OdeMethod method) {
  using numerics::MultistepMethod;
  return method == OdeMethod::adams ? MultistepMethod::adams : MultistepMethod::bdf;
}
inline const numerics::EmbeddedPair& pair_of(OdeMethod method) {
  return method == OdeMethod::cash_karp ? numerics::kCashKarp : numerics::kDormandPrince;
}

}  // namespace credo::graph
