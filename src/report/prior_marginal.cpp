#include "report/prior_marginal.hpp"

#include "numerics/radix_sort.hpp"

namespace credo::report {

Marginal prior_marginal(const Material& material, Index quantity, Index num_places) {
  Series draws = material.prior(quantity);
  if (draws.empty()) return {};
  numerics::sort(draws);
  const std::size_t cut = draws.size() / 100;
  const auto kept = std::span(draws).subspan(cut, draws.size() - 2 * cut);
  Marginal marginal = marginal_of({kept, ssize(kept), 1}, material.is_whole(quantity), num_places);
  marginal.chains.clear();
  return marginal;
}

}  // namespace credo::report
