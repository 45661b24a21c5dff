#include "results/fit_points.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "results/start_points.hpp"

namespace credo::results {

FitPoints::FitPoints(const Fit& fit, const density::Model& model)
    : fit_(fit), model_(model), places_(places_of_parameters(fit, model)) {
  if (std::find(places_.begin(), places_.end(), -1) != places_.end())
    throw Error(ErrorCode::data, "the fit lacks discrete parameters of the program",
                fit.origin().source, "take one that was written with all parameters");
  if (model.discrete_block().size() == 0) return;
  const density::Layout position = model.unconstrained();
  for (Index k = model.num_continuous(); k < position.size(); ++k)
    discrete_.push_back(static_cast<std::size_t>(*model.outputs().find(position.element_name(k))));
}

std::vector<std::vector<double>> FitPoints::read(Index chain, Index first, Index count) const {
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < places_.size();) {
    std::size_t end = k + 1;  // neighbours are read at once
    while (end < places_.size() && places_[end] == places_[end - 1] + 1) ++end;
    const density::Draws draws = fit_.read({.first = places_[k],
                                            .count = static_cast<Index>(end - k),
                                            .first_chain = chain,
                                            .num_chains = 1,
                                            .first_draw = first,
                                            .num_draws = count});
    for (Index s = 0; s < count; ++s)
      for (Index j = 0; j < static_cast<Index>(end - k); ++j)
        rows[static_cast<std::size_t>(s)].push_back(draws(s, 0, j));
    k = end;
  }
  for (std::vector<double>& row : rows) {
    std::vector<double> position = model_.unconstrain_row(row);
    for (const std::size_t place : discrete_) position.push_back(row[place]);
    row = std::move(position);
  }
  return rows;
}

std::vector<double> log_densities_of(const Fit& fit, const density::Model& model) {
  constexpr Index kTogether = 64;
  const FitPoints points(fit, model);
  const auto evaluator = model.make_evaluator();
  const Index per_chain = fit.num_draws(false);
  std::vector<double> values;
  for (Index c = 0; c < fit.num_chains(); ++c) {
    for (Index s = 0; s < per_chain; s += kTogether) {
      stop_if_asked();
      const std::vector<std::vector<double>> at =
          points.read(c, s, std::min(kTogether, per_chain - s));
      std::vector<density::Request> requests(at.size());
      std::vector<density::Request*> batch;
      for (std::size_t k = 0; k < at.size(); ++k) {
        requests[k].position = at[k];
        batch.push_back(&requests[k]);
      }
      evaluator->evaluate(density::Want::value, batch);
      for (std::size_t k = 0; k < at.size(); ++k) {
        if (!requests[k].status.ok())
          throw Error(
              ErrorCode::evaluation,
              fmt::format("the density isn't known at draw {} of chain {}: {}",
                          s + static_cast<Index>(k) + 1, c + 1, model.describe(requests[k].status)),
              fit.origin().source, "is it the program of the fit?");
        values.push_back(requests[k].log_density);
      }
    }
  }
  return values;
}

}  // namespace credo::results
