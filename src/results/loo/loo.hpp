// Leave-one-out figures of a fit: how well a model predicts each row of its data from all others, from the draws
// at hand [vehtari2017].
#pragma once
#include "diagnose/psis.hpp"
#include "infer/variational/certificate/certificate.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

struct Total {
  double value = kNaN, error = kNaN;  // a sum over rows, and its standard error: sqrt(N var)
};

// Why the sum of so few rows has no standard error; empty where it has one.
std::string_view why_no_error(Index num_rows);
// The error as a table shows it, with two decimals, or a dash without an error.
std::string error_text(const Total& total);

// How a row's density given the others was found.
enum class RowBy { psis, moment_matching, refit };

struct Loo {
  std::vector<diagnose::RowFigures> rows;  // in the order of the likelihood's rows
  std::vector<RowBy> by = {};              // of each
  Index num_draws = 0;                     // of all chains
  std::vector<double> point;               // unconstrained values of the first draw
  bool has_own_rows = false;               // the rows are elements of the program's log_lik
  Total elpd_loo, p_loo, elpd_waic, p_waic;
  // Weights of the draws themselves, if they have any. A row's weights contain them.
  std::optional<infer::WeightFigures> weights = {};

  // Draws of equal weight that the fit's draws are worth.
  Index num_equal_draws() const {
    return weights ? std::max<Index>(2, static_cast<Index>(weights->effective)) : num_draws;
  }
  double k_limit() const { return diagnose::pareto_k_limit(num_equal_draws()); }
  // True if the weights of the draws themselves can't be relied on, so that no row's can.
  bool rests_on_bad_weights() const;
  // Rows with k above the limit that weren't fitted again, worst first. For weighted draws, only rows that are to blame for it: not where the
  // row's weights leave nearly all draws their worth, nor where the draws' own weights have such a k.
  std::vector<Index> unreliable() const;
  // Unreliable rows and those whose k, plus two standard errors (diagnose::pareto_k_error), is above the limit. Rows
  // whose draws were moved by moment matching keep the limit.
  std::vector<Index> doubtful() const;
  void add_up();  // totals, of the rows
};

struct LooOptions {
  double r_eff = kNaN;  // option of diagnose::row_figures
  Index most_bytes =
      Index{256}
      << 20;  // log likelihoods in memory; more rows are computed in batches, or take more passes
};

// The log likelihood of each row in each draw after warm-up is computed again, by the model. Draws that have weights count
// by them. Throws Error(program) if the model has no rows, with a remedy; Error(data) for a fit of another program
// and one without draws.
Loo loo_of(const Fit& fit, const density::Model& model, const LooOptions& options = {});

Total total_of(std::span<const double> values);

}  // namespace credo::results
