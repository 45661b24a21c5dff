#include "results/loo/refit.hpp"

#include "base/error.hpp"
#include "base/rng.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/psis.hpp"
#include "diagnose/weights.hpp"
#include "results/draws/quiet_run.hpp"
#include "results/draws/row_likelihoods.hpp"
#include "results/draws/share_out.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {

// Predictive densities of rows that a fit lacks, from its draws.
void judge_rows(const Fit& fit, const RowBlock& block, Refit& refit) {
  const std::vector<double> log_weights = log_weights_of(fit);
  const auto chains = [&](std::span<const double> values) {
    return diagnose::Chains{values, fit.num_draws(false), fit.num_chains()};
  };
  std::vector<double> sum(static_cast<std::size_t>(fit.num_draws(false) * fit.num_chains()), 0.0);
  for (Index i = 0; i < block.num_rows(); ++i) {
    const std::span<const double> row = block.row(i);
    const diagnose::LogMean mean = diagnose::log_mean(chains(row), log_weights);
    refit.elpd.push_back(mean.value), refit.mcse.push_back(mean.mcse);
    for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += row[s];
  }
  const diagnose::LogMean joint = diagnose::log_mean(chains(sum), log_weights);
  refit.joint = joint.value, refit.joint_mcse = joint.mcse;
  if (!log_weights.empty()) {
    refit.pareto_k = diagnose::weight_pareto_k(log_weights);
    return;
  }
  refit.r_hat = diagnose::r_hat(chains(sum));
  if (const auto place = find_quantity(fit, "lp__")) {
    const density::Draws density = fit.quantities(false, *place, 1);
    refit.r_hat = std::fmax(refit.r_hat, diagnose::r_hat(chains(density.quantity(0))));
  }
}

density::Query query_without(density::Query query, std::span<const Index> rows) {
  query.without.assign(rows.begin(), rows.end());
  return query;
}
}  // namespace

void require_without(const density::Model& model, std::span<const Index> rows,
                     std::span<const double> point) {
  const density::Capability can = model.can(query_without(model.query(), rows), point);
  if (!can.can)
    throw Error(ErrorCode::program, "rows can't be left out: " + can.reason,
                can.where.empty() ? model.name() : can.where, can.hint);
}

std::uint64_t refit_seed(std::uint64_t seed, Index number) {
  return Rng({.seed = seed,
              .purpose = purpose::kReplicate,
              .chain = 4,
              .iteration = static_cast<std::uint32_t>(number)})
      .bits();
}

std::vector<Refit> refit_all(const density::Model& model, std::span<const Fold> folds,
                             std::span<const double> point, const RefitOptions& options) {
  if (!folds.empty()) require_without(model, folds[0].without, point);
  const Index num_rows = model.num_rows();
  const auto fit_fold = [&](Index number) {
    const Fold& fold = folds[static_cast<std::size_t>(number)];
    const auto rest = model.asking(query_without(model.query(), fold.without));
    infer::SampleOptions run = options.run;
    run.seed = refit_seed(options.seed, number);
    run.num_threads = 1;
    Refit refit;
    try {
      const QuietRun done(*rest, std::move(run), nullptr, {options.states, number});
      RowBlock block(ssize(fold.asked), done.fit().num_draws(false) * done.fit().num_chains());
      fill(block, done.fit(),
           {.log_density = model, .num_values = num_rows, .places = fold.asked, .num_threads = 1},
           FitPoints(done.fit(), model));
      refit.num_divergent = done.num_divergent();
      judge_rows(done.fit(), block, refit);
    } catch (const Error& error) {
      // Others are of this fold alone: no start is found, or a draw has no density.
      if (error.code() != ErrorCode::evaluation && error.code() != ErrorCode::data) throw;
      refit = {.failure = error.message()};
    }
    return refit;
  };
  return share_out_results(ssize(folds), options.num_threads, options.done, options.on_done,
                           [&] { return fit_fold; });
}

}  // namespace credo::results
