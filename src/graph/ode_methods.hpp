// What the solvers call the methods that users name.
#pragma once
#include "graph/ode.hpp"
#include "numerics/ode/embedded_pair.hpp"
#include "numerics/ode/multistep_formula.hpp"

namespace credo::graph {

inline bool is_multistep(OdeMethod method) {
  return method == OdeMethod::adams || method == OdeMethod::bdf;
}
inline numerics::MultistepMethod multistep_of(OdeMethod method) {
  using numerics::MultistepMethod;
  return method == OdeMethod::bdf ? MultistepMethod::bdf : MultistepMethod::adams;
}
inline const numerics::EmbeddedPair& pair_of(OdeMethod method) {
  return method == OdeMethod::cash_karp ? numerics::kCashKarp : numerics::kDormandPrince;
}

}  // namespace credo::graph
