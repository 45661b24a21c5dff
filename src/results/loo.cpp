#include "results/loo.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "density/model.hpp"
#include "diagnose/chains.hpp"
#include "results/fit_points.hpp"
#include "results/weights.hpp"

namespace credo::results {
namespace {
constexpr Index kTogether = 32;  // draws

// The log likelihoods of some rows: S of all chains for each row.
class Block {
 public:
  Block(Index first_row, Index num_rows, Index num_draws)
      : first_(first_row),
        num_draws_(num_draws),
        values_(static_cast<std::size_t>(num_rows * num_draws)) {}
  Index num_rows() const { return ssize(values_) / num_draws_; }
  void put(Index draw, std::span<const double> all_rows) {
    for (Index i = 0; i < num_rows(); ++i)
      values_[static_cast<std::size_t>(i * num_draws_ + draw)] =
          all_rows[static_cast<std::size_t>(first_ + i)];
  }
  std::span<const double> row(Index i) const {
    return std::span(values_).subspan(static_cast<std::size_t>(i * num_draws_),
                                      static_cast<std::size_t>(num_draws_));
  }

 private:
  Index first_, num_draws_;
  std::vector<double> values_;
};

Error refused(const density::Model& model, const density::Status& status, Index chain, Index draw) {
  return Error(ErrorCode::evaluation,
               fmt::format("the log likelihood isn't known at draw {} of chain {}: {}", draw + 1,
                           chain + 1, model.describe(status)),
               "loo", "is it the program of the fit?");
}

void fill(Block& block, const Fit& fit, const density::Model& model, const FitPoints& points) {
  const auto evaluator = model.make_evaluator();
  const Index per_chain = fit.num_draws(false);
  std::vector<std::vector<double>> values;
  for (Index c = 0; c < fit.num_chains(); ++c) {
    for (Index s = 0; s < per_chain; s += kTogether) {
      stop_if_asked();
      const Index count = std::min(kTogether, per_chain - s);
      const std::vector<std::vector<double>> at = points.read(c, s, count);
      values.resize(at.size(), std::vector<double>(static_cast<std::size_t>(model.num_rows())));
      std::vector<density::Request> requests(at.size());
      std::vector<density::Request*> batch;
      for (std::size_t k = 0; k < at.size(); ++k) {
        requests[k].position = at[k];
        requests[k].pointwise = values[k];
        batch.push_back(&requests[k]);
      }
      evaluator->evaluate(density::Want::pointwise, batch);
      for (Index k = 0; k < count; ++k) {
        if (!requests[static_cast<std::size_t>(k)].status.ok())
          throw refused(model, requests[static_cast<std::size_t>(k)].status, c, s + k);
        block.put(c * per_chain + s + k, values[static_cast<std::size_t>(k)]);
      }
    }
  }
}

template <class Figure>
Total total_of_rows(std::span<const diagnose::RowFigures> rows, const Figure& figure) {
  std::vector<double> values;
  for (const diagnose::RowFigures& row : rows) values.push_back(figure(row));
  return total_of(values);
}
}  // namespace

Total total_of(std::span<const double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum, std::sqrt(static_cast<double>(values.size()) * diagnose::variance(values))};
}

std::vector<Index> Loo::unreliable() const {
  std::vector<Index> bad;
  for (Index i = 0; i < ssize(rows); ++i)
    if (!(rows[static_cast<std::size_t>(i)].pareto_k <= k_limit())) bad.push_back(i);
  const auto k_of = [&](Index i) {
    const double k = rows[static_cast<std::size_t>(i)].pareto_k;
    return std::isnan(k) ? kInfinity : k;
  };
  std::stable_sort(bad.begin(), bad.end(), [&](Index a, Index b) { return k_of(a) > k_of(b); });
  return bad;
}

Loo loo_of(const Fit& fit, const density::Model& model, const LooOptions& options) {
  Loo loo;
  loo.num_draws = fit.num_draws(false) * fit.num_chains();
  if (loo.num_draws == 0)
    throw Error(ErrorCode::data, "the fit has no draw after warm-up", fit.origin().source);
  if (!log_weights_of(fit).empty())
    throw Error(ErrorCode::usage, "weighted draws aren't smoothed a second time",
                fit.origin().source, "take draws of a Markov chain, or resample");
  const FitPoints points(fit, model);
  loo.point = points.read(0, 0, 1).front();
  const Index num_rows = model.num_rows();
  if (num_rows == 0)
    throw Error(ErrorCode::program, "the likelihood has no rows", model.name(),
                "write it with density statements of data, or give its terms as log_lik in "
                "generated quantities");
  const Index at_once = std::clamp<Index>(
      options.most_bytes / (loo.num_draws * static_cast<Index>(sizeof(double))), 1, num_rows);
  for (Index first = 0; first < num_rows; first += at_once) {
    Block block(first, std::min(at_once, num_rows - first), loo.num_draws);
    fill(block, fit, model, points);
    for (Index i = 0; i < block.num_rows(); ++i)
      loo.rows.push_back(diagnose::row_figures(
          {block.row(i), fit.num_draws(false), fit.num_chains()}, options.r_eff));
  }
  loo.elpd_loo = total_of_rows(loo.rows, [](const auto& row) { return row.elpd_loo; });
  loo.p_loo = total_of_rows(loo.rows, [](const auto& row) { return row.p_loo(); });
  loo.elpd_waic = total_of_rows(loo.rows, [](const auto& row) { return row.elpd_waic; });
  loo.p_waic = total_of_rows(loo.rows, [](const auto& row) { return row.p_waic; });
  return loo;
}

}  // namespace credo::results
