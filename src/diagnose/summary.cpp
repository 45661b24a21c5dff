#include "diagnose/summary.hpp"

#include "diagnose/convergence.hpp"

namespace credo::diagnose {
namespace {
double e_bfmi_of(std::span<const double> energy) {
  if (energy.size() < 3 || is_degenerate(energy)) return kNaN;
  double steps = 0.0;
  for (std::size_t s = 1; s < energy.size(); ++s)
    steps += (energy[s] - energy[s - 1]) * (energy[s] - energy[s - 1]);
  return steps / (variance(energy) * static_cast<double>(energy.size() - 1));
}
}  // namespace

Summary summarise(const Chains& chains) {
  std::vector<double> sorted(chains.values.begin(), chains.values.end());
  const bool ordered = !any_nan(sorted);
  if (ordered) std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double p) { return ordered ? quantile_of_sorted(sorted, p) : kNaN; };
  return {.mean = mean(chains.values),
          .sd = std::sqrt(variance(chains.values)),
          .q5 = at(0.05),
          .median = at(0.5),
          .q95 = at(0.95),
          .mcse_mean = mcse_mean(chains),
          .mcse_sd = mcse_sd(chains),
          .ess_bulk = ess_bulk(chains),
          .ess_tail = ess_tail(chains),
          .r_hat = r_hat(chains)};
}

std::vector<double> e_bfmi(const Chains& energy) {
  std::vector<double> result;
  for (Index c = 0; c < energy.num_chains; ++c) result.push_back(e_bfmi_of(energy.chain(c)));
  return result;
}

}  // namespace credo::diagnose
