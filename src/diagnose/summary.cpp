#include "diagnose/summary.hpp"

#include "diagnose/convergence.hpp"
#include "numerics/radix_sort.hpp"

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

// Bulk ESS and R-hat share the ranks, everything but the moments the order.
Summary summarise(const Chains& chains) {
  if (chains.order.empty() && !chains.values.empty()) {
    const std::vector<std::uint32_t> order = numerics::order_of(chains.values);
    return summarise({chains.values, chains.num_draws, chains.num_chains, order});
  }
  const auto quantiles = quantile_figures(chains, std::array{0.05, 0.5, 0.95});
  const auto &q5 = quantiles[0], &median = quantiles[1], &q95 = quantiles[2];
  const bool tails = !std::isnan(q5.ess) && !std::isnan(q95.ess);
  const BulkFigures bulk = bulk_figures(chains);
  const MomentFigures moments = moment_figures(chains);
  return {.mean = moments.mean,
          .sd = moments.sd,
          .q5 = q5.value,
          .median = median.value,
          .q95 = q95.value,
          .mcse_mean = moments.mcse_mean,
          .mcse_sd = moments.mcse_sd,
          .mcse_q5 = q5.mcse,
          .mcse_median = median.mcse,
          .mcse_q95 = q95.mcse,
          .ess_bulk = bulk.ess,
          .ess_tail = tails ? std::min(q5.ess, q95.ess) : kNaN,
          .r_hat = larger_r_hat(bulk.r_hat, folded_r_hat(chains))};
}

std::vector<double> e_bfmi(const Chains& energy) {
  std::vector<double> result;
  for (Index c = 0; c < energy.num_chains; ++c) result.push_back(e_bfmi_of(energy.chain(c)));
  return result;
}

}  // namespace credo::diagnose
