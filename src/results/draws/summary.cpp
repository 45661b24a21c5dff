#include "results/draws/summary.hpp"

#include "base/stop.hpp"
#include "base/tasks.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/weights.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {

// `weights`: logarithms, of all draws; none: they count the same.
io::SummaryRow row_of(const std::string& name, const density::Draws& draws, Index quantity,
                      std::span<const double> weights) {
  const std::span<const double> values = draws.quantity(quantity);
  const diagnose::Summary s =
      weights.empty()
          ? diagnose::summarise(diagnose::Chains(values, draws.num_draws(), draws.num_chains()))
          : diagnose::weighted_summary(values, weights);
  return results::row_of(name, s);
}

// Uses all processors, unless there are few values.
Summary rows_of(const Fit& fit, Index first, const density::Draws& draws,
                std::span<const double> weights) {
  constexpr Index kWorthThreads = 400'000;  // values
  Summary rows(static_cast<std::size_t>(draws.num_quantities()));
  std::vector<std::function<void()>> tasks;
  for (Index k = 0; k < draws.num_quantities(); ++k)
    tasks.emplace_back([&, k, name = quantity_name(fit, first + k)] {
      rows[static_cast<std::size_t>(k)] = row_of(name, draws, k, weights);
    });
  if (draws.num_draws() * draws.num_chains() * draws.num_quantities() < kWorthThreads)
    for (const auto& task : tasks) task();
  else
    do_all(tasks);
  stop_if_asked();
  return rows;
}
}  // namespace

io::SummaryRow row_of(const std::string& name, const diagnose::Summary& s) {
  return {.name = name,
          .mean = s.mean,
          .sd = s.sd,
          .mcse_mean = s.mcse_mean,
          .q5 = s.q5,
          .q50 = s.median,
          .q95 = s.q95,
          .ess_bulk = s.ess_bulk,
          .ess_tail = s.ess_tail,
          .r_hat = s.r_hat,
          .mcse_sd = s.mcse_sd,
          .mcse_q5 = s.mcse_q5,
          .mcse_q50 = s.mcse_median,
          .mcse_q95 = s.mcse_q95};
}

Summary summarise_outputs(const Fit& fit) {
  const std::vector<double> weights = log_weights_of(fit);
  Summary summary;
  for_each_batch(fit, {.first = first_output(fit), .count = fit.layout().size()},
                 [&](Index first, const density::Draws& draws) {
                   const Summary rows = rows_of(fit, first, draws, weights);
                   summary.insert(summary.end(), rows.begin(), rows.end());
                 });
  return summary;
}

Summary summarise(const Fit& fit, std::span<const Index> quantities) {
  const std::vector<double> weights = log_weights_of(fit);
  Summary summary;
  for (const Index quantity : quantities)
    summary.push_back(
        row_of(quantity_name(fit, quantity), fit.quantities(false, quantity, 1), 0, weights));
  return summary;
}

std::vector<Index> summarised_quantities(const Fit& fit) {
  std::vector<Index> all;
  if (const auto lp = find_quantity(fit, "lp__")) all.push_back(*lp);
  for (Index k = first_output(fit); k < num_quantities(fit); ++k) all.push_back(k);
  return all;
}

void add_quantiles(Summary& rows, const Fit& fit, std::span<const Index> quantities,
                   std::span<const double> percents) {
  const std::vector<double> weights = log_weights_of(fit);
  std::vector<double> probabilities;
  for (const double percent : percents) probabilities.push_back(percent / 100.0);
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    stop_if_asked();
    const density::Draws draws = fit.quantities(false, quantities[k], 1);
    const auto figures =
        weights.empty() ? diagnose::quantile_figures(diagnose::quantity(draws, 0), probabilities)
                        : diagnose::weighted_quantiles(draws.quantity(0), weights, probabilities);
    for (std::size_t p = 0; p < percents.size(); ++p)
      rows[k].quantiles.push_back({percents[p], figures[p].value, figures[p].mcse});
  }
}

Summary summarise(const Fit& fit) {
  Summary summary;
  if (const auto lp = find_quantity(fit, "lp__")) summary = summarise(fit, std::span(&*lp, 1));
  for (io::SummaryRow& row : summarise_outputs(fit)) summary.push_back(std::move(row));
  return summary;
}

}  // namespace credo::results
