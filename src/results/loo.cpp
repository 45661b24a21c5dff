#include "results/loo.hpp"

#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "base/processors.hpp"
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
  Block(Index num_rows, Index num_draws)
      : num_draws_(num_draws), values_(static_cast<std::size_t>(num_rows * num_draws)) {}
  Index num_rows() const { return ssize(values_) / num_draws_; }
  void put(Index draw, std::span<const double> rows) {
    for (Index i = 0; i < num_rows(); ++i)
      values_[static_cast<std::size_t>(i * num_draws_ + draw)] = rows[static_cast<std::size_t>(i)];
  }
  std::span<const double> row(Index i) const {
    return std::span(values_).subspan(static_cast<std::size_t>(i * num_draws_),
                                      static_cast<std::size_t>(num_draws_));
  }

 private:
  Index num_draws_;
  std::vector<double> values_;
};

Error refused(const density::Model& model, const density::Status& status, Index chain, Index draw) {
  return Error(ErrorCode::evaluation,
               fmt::format("the log likelihood isn't known at draw {} of chain {}: {}", draw + 1,
                           chain + 1, model.describe(status)),
               "loo", "is it the program of the fit?");
}

// What is asked of each draw: `asked` are the rows of a model of batches, empty for all rows, of which
// those from `first` on go into the block.
struct RowsOfDraws {
  const density::Model& model;
  Index num_values;  // that the model tells of a draw
  Index first;
  std::vector<double> asked = {};
};

void fill(Block& block, const Fit& fit, const RowsOfDraws& rows, const FitPoints& points) {
  const auto evaluator = rows.model.make_evaluator();
  evaluator->use_threads(num_processors());
  const Index per_chain = fit.num_draws(false);
  std::vector<std::vector<double>> values;
  for (Index c = 0; c < fit.num_chains(); ++c) {
    for (Index s = 0; s < per_chain; s += kTogether) {
      stop_if_asked();
      const Index count = std::min(kTogether, per_chain - s);
      const std::vector<std::vector<double>> at = points.read(c, s, count);
      values.resize(at.size(), std::vector<double>(static_cast<std::size_t>(rows.num_values)));
      std::vector<density::Request> requests(at.size());
      std::vector<density::Request*> batch;
      for (std::size_t k = 0; k < at.size(); ++k) {
        requests[k].position = at[k];
        requests[k].pointwise = values[k];
        requests[k].rows = rows.asked;
        batch.push_back(&requests[k]);
      }
      evaluator->evaluate(density::Want::pointwise, batch);
      for (Index k = 0; k < count; ++k) {
        const density::Status& status = requests[static_cast<std::size_t>(k)].status;
        if (!status.ok()) throw refused(rows.model, status, c, s + k);
        block.put(c * per_chain + s + k, std::span(values[static_cast<std::size_t>(k)])
                                             .subspan(static_cast<std::size_t>(rows.first)));
      }
    }
  }
}

// Of the block's row i, over threads.
void judge(const Block& block, const Fit& fit, double r_eff,
           const std::function<diagnose::RowFigures*(Index i)>& place) {
  std::atomic<Index> next = 0;
  const auto take_part = [&] {
    for (Index i = next++; i < block.num_rows() && !stop_asked(); i = next++)
      if (diagnose::RowFigures* row = place(i))
        *row = diagnose::row_figures({block.row(i), fit.num_draws(false), fit.num_chains()}, r_eff);
  };
  {
    std::vector<std::jthread> helpers;
    for (Index t = 1; t < std::min(num_processors(), block.num_rows()); ++t)
      helpers.emplace_back([&, stop = current_stop()] {
        const StopScope scope(stop);
        take_part();
      });
    take_part();
  }
  stop_if_asked();
}

// A part of the rows at a time, each from all draws.
class LooRun {
 public:
  LooRun(const Fit& fit, const density::Model& model, const LooOptions& options, Loo& loo,
         const FitPoints& points)
      : fit_(fit), model_(model), options_(options), loo_(loo), points_(points) {}

  void run(Index num_rows) {
    loo_.rows.resize(static_cast<std::size_t>(num_rows));
    const Index at_once = std::clamp<Index>(
        options_.most_bytes / (loo_.num_draws * static_cast<Index>(sizeof(double))), 1, num_rows);
    if (at_once == num_rows || !in_batches(num_rows, at_once)) by_passes(num_rows, at_once);
  }

 private:
  // All rows are computed again for each part.
  void by_passes(Index num_rows, Index at_once) {
    for (Index first = 0; first < num_rows; first += at_once) {
      Block block(std::min(at_once, num_rows - first), loo_.num_draws);
      fill(block, fit_, {.model = model_, .num_values = num_rows, .first = first}, points_);
      judge(block, fit_, options_.r_eff, [&](Index i) { return row_at(first + i); });
    }
  }
  // Rows of a batch are those of each statement; false where the model can't be asked so.
  bool in_batches(Index num_rows, Index at_once) {
    density::Query query{.terms = density::Terms::likelihood, .batch = 1};
    if (!model_.can(query, loo_.point).can) return false;
    const Index statements = model_.asking(query)->num_rows();
    if (statements == 0 || num_rows % statements != 0) return false;
    const Index length = num_rows / statements;
    query.batch = std::clamp<Index>(at_once / statements, 1, length);
    const auto model = model_.asking(query);
    for (Index first = 0; first < length; first += query.batch) {
      RowsOfDraws rows{.model = *model, .num_values = query.batch * statements, .first = 0};
      for (Index i = 0; i < query.batch; ++i)  // the last ones again where fewer are left
        rows.asked.push_back(static_cast<double>(std::min(first + i, length - 1)));
      Block block(rows.num_values, loo_.num_draws);
      fill(block, fit_, rows, points_);
      judge(block, fit_, options_.r_eff, [&](Index i) {
        const Index row = first + i % query.batch;
        return row < length ? row_at(i / query.batch * length + row) : nullptr;
      });
    }
    return true;
  }
  diagnose::RowFigures* row_at(Index i) { return &loo_.rows[static_cast<std::size_t>(i)]; }

  const Fit& fit_;
  const density::Model& model_;
  const LooOptions& options_;
  Loo& loo_;
  const FitPoints& points_;
};

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
  LooRun(fit, model, options, loo, points).run(num_rows);
  loo.elpd_loo = total_of_rows(loo.rows, [](const auto& row) { return row.elpd_loo; });
  loo.p_loo = total_of_rows(loo.rows, [](const auto& row) { return row.p_loo(); });
  loo.elpd_waic = total_of_rows(loo.rows, [](const auto& row) { return row.elpd_waic; });
  loo.p_waic = total_of_rows(loo.rows, [](const auto& row) { return row.p_waic; });
  return loo;
}

}  // namespace credo::results
