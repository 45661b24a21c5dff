#include "results/loo/loo_improve.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "diagnose/moment_matching.hpp"
#include "results/draws/row_likelihoods.hpp"
#include "results/draws/share_out.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {

// Log density and rows of a model at unconstrained points; used by one thread.
class PointDensities {
 public:
  PointDensities(const density::LogDensity& density, Index num_rows)
      : dimension_(static_cast<std::size_t>(density.dimension())),
        num_rows_(static_cast<std::size_t>(num_rows)),
        evaluator_(density.make_evaluator()) {}

  // Log likelihoods are those of row `row`, if requested; -infinity at a point that is refused.
  void at(std::span<const double> points, std::span<double> log_density,
          std::span<double> log_likelihood, Index row) {
    constexpr std::size_t kTogether = 32;
    std::vector<double> values(kTogether * num_rows_);
    for (std::size_t first = 0; first < log_density.size(); first += kTogether) {
      stop_if_asked();
      const std::size_t count = std::min(kTogether, log_density.size() - first);
      std::vector<density::Request> requests(count);
      std::vector<density::Request*> batch;
      for (std::size_t k = 0; k < count; ++k) {
        requests[k].position = points.subspan((first + k) * dimension_, dimension_);
        requests[k].pointwise = std::span(values).subspan(k * num_rows_, num_rows_);
        batch.push_back(&requests[k]);
      }
      evaluator_->evaluate(density::Want::value, batch);
      for (std::size_t k = 0; k < count; ++k)
        log_density[first + k] = requests[k].status.ok() ? requests[k].log_density : -kInfinity;
      if (log_likelihood.empty()) continue;
      evaluator_->evaluate(density::Want::pointwise, batch);
      for (std::size_t k = 0; k < count; ++k) {
        const bool is_known = requests[k].status.ok();
        if (!is_known) log_density[first + k] = -kInfinity;
        log_likelihood[first + k] =
            is_known ? values[k * num_rows_ + static_cast<std::size_t>(row)] : -kInfinity;
      }
    }
  }

 private:
  std::size_t dimension_, num_rows_;
  std::unique_ptr<density::Evaluator> evaluator_;
};

std::vector<double> all_points(const Fit& fit, const FitPoints& points) {
  constexpr Index kTogether = 256;
  std::vector<double> all;
  for (Index c = 0; c < fit.num_chains(); ++c)
    for (Index s = 0; s < fit.num_draws(false); s += kTogether)
      for (const std::vector<double>& point :
           points.read(c, s, std::min(kTogether, fit.num_draws(false) - s)))
        all.insert(all.end(), point.begin(), point.end());
  return all;
}

void require_matching(const Fit& fit, const density::LogDensity& density) {
  if (!log_weights_of(fit).empty())
    throw Error(ErrorCode::usage, "draws that have weights aren't moved", fit.origin().source,
                "fit without the rows instead: --refit bad");
  if (density.discrete_block().size() > 0)
    throw Error(ErrorCode::usage, "draws of discrete parameters can't be moved",
                fit.origin().source, "sum them out of the program");
}
}  // namespace

void match_unreliable_rows(Loo& loo, const Fit& fit, const density::Model& model) {
  const std::vector<Index> bad = loo.unreliable();
  if (bad.empty()) return;
  require_matching(fit, model);
  const Index num_rows = ssize(loo.rows);
  const FitPoints points(fit, model);
  const std::vector<double> draws = all_points(fit, points);
  RowBlock block(ssize(bad), loo.num_draws);
  fill(block, fit, {.log_density = model, .num_values = num_rows, .places = bad}, points);
  std::vector<double> log_density(static_cast<std::size_t>(loo.num_draws));
  PointDensities(model, num_rows).at(draws, log_density, {}, 0);
  share_out(counted_from(0, ssize(bad)), 0, [&]() -> PieceWorker {
    const auto densities = std::make_shared<PointDensities>(model, num_rows);
    return [&, densities](Index k) {
      const Index number = bad[static_cast<std::size_t>(k)];
      diagnose::RowFigures& row = loo.rows[static_cast<std::size_t>(number)];
      const diagnose::MatchedDensity matched{.dimension = model.dimension(),
                                             .points = draws,
                                             .log_density = log_density,
                                             .log_likelihood = block.row(k),
                                             .at = [&](auto at, auto density, auto likelihood) {
                                               densities->at(at, density, likelihood, number);
                                             }};
      const diagnose::MomentMatch match =
          diagnose::match_moments(matched, row, {.r_eff = row.r_eff, .k_limit = loo.k_limit()});
      if (match.num_maps == 0 || !(match.row.pareto_k < row.pareto_k)) return;
      row = match.row;
      loo.by[static_cast<std::size_t>(number)] = RowBy::moment_matching;
    };
  });
  loo.add_up();
}

std::vector<Fold> single_folds(std::span<const Index> rows) {
  std::vector<Fold> folds;
  for (const Index row : rows) folds.push_back({{row}, {row}});
  return folds;
}

void take_refits(Loo& loo, std::span<const Fold> folds, std::span<const Refit> refits) {
  for (std::size_t k = 0; k < folds.size(); ++k) {
    if (!refits[k].failure.empty()) continue;
    const auto row = static_cast<std::size_t>(folds[k].asked[0]);
    loo.rows[row].elpd_loo = refits[k].elpd[0];
    loo.rows[row].mcse = refits[k].mcse[0];
    loo.by[row] = RowBy::refit;
  }
  loo.add_up();
}

}  // namespace credo::results
