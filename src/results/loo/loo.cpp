#include "results/loo/loo.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "diagnose/chains.hpp"
#include "results/draws/row_likelihoods.hpp"
#include "results/draws/share_out.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {

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
      const Index count = std::min(at_once, num_rows - first);
      RowBlock block(count, loo_.num_draws);
      fill(block, fit_,
           {.log_density = model_, .num_values = num_rows, .places = counted_from(first, count)},
           points_);
      require_finite(block, first);
      judge(block, [&](Index i) { return row_at(first + i); });
    }
  }
  // The likelihood of an outcome is finite at every draw of a posterior, but the program's own log_lik may have any
  // value.
  void require_finite(const RowBlock& block, Index first) const {
    const Index per_chain = fit_.num_draws(false);
    for (Index i = 0; i < block.num_rows(); ++i) {
      const std::span<const double> row = block.row(i);
      const auto wrong =
          std::find_if(row.begin(), row.end(), [](double x) { return !std::isfinite(x); });
      if (wrong == row.end()) continue;
      const Index draw = wrong - row.begin();
      throw Error(ErrorCode::evaluation,
                  fmt::format("the log likelihood of row {} is {} at draw {} of chain {}",
                              first + i + 1, *wrong, draw % per_chain + 1, draw / per_chain + 1),
                  fit_.origin().source,
                  loo_.has_own_rows ? "give each element of log_lik a finite value; or --rows "
                                      "statements takes the rows of the density statements"
                                    : "is it the program of the fit?");
    }
  }
  // Rows of a batch are those of each statement; false where the model can't be asked so.
  bool in_batches(Index num_rows, Index at_once) {
    density::Query query{.terms = density::Terms::likelihood, .batch = 1};
    if (loo_.has_own_rows) return false;
    if (!model_.can(query, loo_.point).can) return false;
    const Index statements = model_.asking(query)->num_rows();
    if (statements == 0 || num_rows % statements != 0) return false;
    const Index length = num_rows / statements;
    query.batch = std::clamp<Index>(at_once / statements, 1, length);
    const auto model = model_.asking(query);
    for (Index first = 0; first < length; first += query.batch) {
      const Index count = query.batch * statements;
      RowsOfDraws rows{
          .log_density = *model, .num_values = count, .places = counted_from(0, count)};
      for (Index i = 0; i < query.batch; ++i)  // the last ones again where fewer are left
        rows.asked.push_back(static_cast<double>(std::min(first + i, length - 1)));
      RowBlock block(count, loo_.num_draws);
      fill(block, fit_, rows, points_);
      judge(block, [&](Index i) {
        const Index row = first + i % query.batch;
        return row < length ? row_at(i / query.batch * length + row) : nullptr;
      });
    }
    return true;
  }
  // Computes the figures of the block's rows, over threads.
  void judge(const RowBlock& block,
             const std::function<diagnose::RowFigures*(Index i)>& place) const {
    share_out(counted_from(0, block.num_rows()), 0, [&]() -> PieceWorker {
      return [&](Index i) {
        if (diagnose::RowFigures* row = place(i))
          *row = diagnose::row_figures({block.row(i), fit_.num_draws(false), fit_.num_chains()},
                                       options_.r_eff, weights_);
        stop_if_asked();
      };
    });
  }
  diagnose::RowFigures* row_at(Index i) { return &loo_.rows[static_cast<std::size_t>(i)]; }

  const Fit& fit_;
  const density::Model& model_;
  const LooOptions& options_;
  Loo& loo_;
  const FitPoints& points_;
  const std::vector<double> weights_ = log_weights_of(fit_);
};

// Name of an outcome if no outcome has any elements; otherwise empty.
std::string empty_outcome(std::span<const density::ObservedVariable> data) {
  const bool are_empty =
      std::ranges::all_of(data, [](const auto& one) { return one.values.empty(); });
  return are_empty && !data.empty() ? data.front().variable.name : std::string();
}

[[noreturn]] void refuse_without_rows(const density::Model& model, std::span<const double> point) {
  if (const std::string name = empty_outcome(observed_data(model)); !name.empty())
    throw Error(ErrorCode::data, fmt::format("there are no rows: {} has no elements", name),
                model.name(), "fit data with at least one row");
  if (model.query().power != 1.0)
    throw Error(ErrorCode::program,
                "the draws are of a power of the posterior's density, which shows nothing of the "
                "rows of the data",
                model.name(), "sample without --temperature");
  const density::Capability can = model.can({.terms = density::Terms::likelihood}, point);
  throw Error(ErrorCode::program, "the likelihood has no rows" + (can.can ? "" : ": " + can.reason),
              can.where.empty() ? model.name() : can.where,
              "write it with density statements of data, or give its terms as log_lik in "
              "generated quantities");
}

template <class Figure>
Total total_of_rows(std::span<const diagnose::RowFigures> rows, const Figure& figure) {
  std::vector<double> values;
  for (const diagnose::RowFigures& row : rows) values.push_back(figure(row));
  return total_of(values);
}
}  // namespace

std::string_view why_no_error(Index num_rows) {
  return num_rows < 2 ? "There is one row, and a standard error needs two." : "";
}
std::string error_text(const Total& total) {
  return std::isnan(total.error) ? "-" : fmt::format("{:.2f}", total.error);
}

Total total_of(std::span<const double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum, std::sqrt(static_cast<double>(values.size()) * diagnose::variance(values))};
}

namespace {
// Above it a row is to blame: where the draws' own weights have a high k, it must be clearly higher.
double k_of_blame(const Loo& loo) {
  constexpr double kErrors = 2.0;
  if (!loo.rests_on_bad_weights()) return loo.k_limit();
  const double k = loo.weights->pareto_k;
  return std::max(loo.k_limit(),
                  k + kErrors * diagnose::pareto_k_error(k, loo.num_equal_draws(), 1.0));
}

bool counts_nearly_all(const Loo& loo, const diagnose::RowFigures& row) {
  return loo.weights && row.effective >= infer::kShareWithoutK * static_cast<double>(loo.num_draws);
}

// A row whose likelihood is the same in all draws is predicted alike with it and without it.
std::vector<Index> rows_above(const Loo& loo, const auto& k_of) {
  const double limit = k_of_blame(loo);
  std::vector<Index> bad;
  for (Index i = 0; i < ssize(loo.rows); ++i) {
    const diagnose::RowFigures& row = loo.rows[static_cast<std::size_t>(i)];
    if (loo.by[static_cast<std::size_t>(i)] != RowBy::refit && row.p_waic != 0.0 &&
        !counts_nearly_all(loo, row) && !(k_of(i) <= limit))
      bad.push_back(i);
  }
  const auto order_of = [&](Index i) {
    const double k = loo.rows[static_cast<std::size_t>(i)].pareto_k;
    return std::isnan(k) ? kInfinity : k;
  };
  std::stable_sort(bad.begin(), bad.end(),
                   [&](Index a, Index b) { return order_of(a) > order_of(b); });
  return bad;
}
}  // namespace

bool Loo::rests_on_bad_weights() const {
  if (!weights) return false;
  const bool are_few = !(weights->effective >= infer::kFewestEffective);
  const double share = weights->effective / static_cast<double>(num_draws);
  return are_few || (weights->pareto_k > k_limit() && share < infer::kShareWithoutK);
}

std::vector<Index> Loo::unreliable() const {
  return rows_above(*this, [&](Index i) { return rows[static_cast<std::size_t>(i)].pareto_k; });
}

std::vector<Index> Loo::doubtful() const {
  constexpr double kErrors = 2.0;
  return rows_above(*this, [&](Index i) {
    const diagnose::RowFigures& row = rows[static_cast<std::size_t>(i)];
    if (by[static_cast<std::size_t>(i)] == RowBy::moment_matching) return row.pareto_k;
    return row.pareto_k +
           kErrors * diagnose::pareto_k_error(row.pareto_k, num_equal_draws(), row.r_eff);
  });
}

Loo loo_of(const Fit& fit, const density::Model& model, const LooOptions& options) {
  Loo loo;
  loo.num_draws = fit.num_draws(false) * fit.num_chains();
  if (loo.num_draws == 0)
    throw Error(ErrorCode::data, "the fit has no draw after warm-up", fit.origin().source);
  if (const std::vector<double> own = log_weights_of(fit); !own.empty())
    loo.weights = infer::weight_figures(own);
  const FitPoints points(fit, model);
  loo.point = points.read(0, 0, 1).front();
  const Index num_rows = model.num_rows();
  loo.has_own_rows = has_own_rows(model);
  const bool is_without = !loo.has_own_rows && !empty_outcome(observed_data(model)).empty();
  if (num_rows == 0 || is_without) refuse_without_rows(model, loo.point);
  LooRun(fit, model, options, loo, points).run(num_rows);
  loo.by.assign(loo.rows.size(), RowBy::psis);
  loo.add_up();
  return loo;
}

void Loo::add_up() {
  elpd_loo = total_of_rows(rows, [](const auto& row) { return row.elpd_loo; });
  p_loo = total_of_rows(rows, [](const auto& row) { return row.p_loo(); });
  elpd_waic = total_of_rows(rows, [](const auto& row) { return row.elpd_waic; });
  p_waic = total_of_rows(rows, [](const auto& row) { return row.p_waic; });
}

}  // namespace credo::results
