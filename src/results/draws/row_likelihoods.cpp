#include "results/draws/row_likelihoods.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/processors.hpp"
#include "base/stop.hpp"

namespace credo::results {
namespace {
constexpr Index kDrawsTogether = 32;

Error refused_row(const density::LogDensity& density, const density::Status& status, Index chain,
                  Index draw) {
  return Error(ErrorCode::evaluation,
               fmt::format("the log likelihood isn't known at draw {} of chain {}: {}", draw + 1,
                           chain + 1, density.describe(status)),
               "loo", "is it the program of the fit?");
}
}  // namespace

std::vector<Index> counted_from(Index first, Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::unique_ptr<density::Model> with_rows_by(const density::Model& model, density::RowsBy rows_by) {
  density::Query query = model.query();
  if (query.rows_by == rows_by || model.program_facts() == nullptr) return nullptr;
  query.rows_by = rows_by;
  return model.asking(query);
}

void fill(RowBlock& block, const Fit& fit, const RowsOfDraws& rows, const FitPoints& points) {
  const auto evaluator = rows.log_density.make_evaluator();
  evaluator->use_threads(rows.num_threads > 0 ? rows.num_threads : num_processors());
  const Index per_chain = fit.num_draws(false);
  std::vector<std::vector<double>> values;
  for (Index c = 0; c < fit.num_chains(); ++c) {
    for (Index s = 0; s < per_chain; s += kDrawsTogether) {
      stop_if_asked();
      const Index count = std::min(kDrawsTogether, per_chain - s);
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
      for (std::size_t k = 0; k < at.size(); ++k) {
        const Index draw = s + static_cast<Index>(k);
        if (!requests[k].status.ok())
          throw refused_row(rows.log_density, requests[k].status, c, draw);
        for (std::size_t i = 0; i < rows.places.size(); ++i)
          block.put(static_cast<Index>(i), c * per_chain + draw,
                    values[k][static_cast<std::size_t>(rows.places[i])]);
      }
    }
  }
}

}  // namespace credo::results
