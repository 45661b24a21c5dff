#include "results/draws/fit_points.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "results/files/start_points.hpp"

namespace credo::results {

FitPoints::FitPoints(const Fit& fit, const density::Model& model)
    : fit_(fit),
      places_(places_of_parameters(fit, model)),
      inverse_(model.inverse().require(model.name(), ErrorCode::usage)) {
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
    std::vector<double> position = inverse_.unconstrain_row(row, fit_.origin().rounding());
    for (const std::size_t place : discrete_) position.push_back(row[place]);
    row = std::move(position);
  }
  return rows;
}

namespace {
using Visit = std::function<void(const density::Request&)>;

// Asks at each draw after warm-up, of all chains one after another.
void for_each_answer(const Fit& fit, const density::Model& model, density::Want want,
                     const Visit& visit) {
  constexpr Index kTogether = 64;
  const FitPoints points(fit, model);
  const auto evaluator = model.make_evaluator();
  const Index per_chain = fit.num_draws(false);
  std::vector<double> gradients(static_cast<std::size_t>(kTogether * model.dimension()));
  for (Index c = 0; c < fit.num_chains(); ++c) {
    for (Index s = 0; s < per_chain; s += kTogether) {
      stop_if_asked();
      const std::vector<std::vector<double>> at =
          points.read(c, s, std::min(kTogether, per_chain - s));
      std::vector<density::Request> requests(at.size());
      std::vector<density::Request*> batch;
      for (std::size_t k = 0; k < at.size(); ++k) {
        requests[k].position = at[k];
        if (want != density::Want::value)
          requests[k].gradient =
              std::span(gradients).subspan(k * static_cast<std::size_t>(model.dimension()),
                                           static_cast<std::size_t>(model.dimension()));
        batch.push_back(&requests[k]);
      }
      evaluator->evaluate(want, batch);
      for (std::size_t k = 0; k < at.size(); ++k) {
        if (!requests[k].status.ok())
          throw Error(
              ErrorCode::evaluation,
              fmt::format("the density isn't known at draw {} of chain {}: {}",
                          s + static_cast<Index>(k) + 1, c + 1, model.describe(requests[k].status)),
              fit.origin().source, "is it the program of the fit?");
        visit(requests[k]);
      }
    }
  }
}
}  // namespace

std::vector<double> log_densities_of(const Fit& fit, const density::Model& model) {
  std::vector<double> values;
  for_each_answer(fit, model, density::Want::value,
                  [&](const density::Request& at) { values.push_back(at.log_density); });
  return values;
}

diagnose::GradientDraws gradient_draws(const Fit& fit, const density::Model& model) {
  if (!model.has_gradient() || model.discrete_block().size() > 0)
    throw Error(ErrorCode::program, "the log density has no gradient, or discrete parameters",
                model.name(), "control variates are those of gradients: leave them out");
  diagnose::GradientDraws draws{.dimension = model.dimension(),
                                .num_draws = fit.num_draws(false),
                                .num_chains = fit.num_chains()};
  for_each_answer(fit, model, density::Want::gradient, [&](const density::Request& at) {
    draws.positions.insert(draws.positions.end(), at.position.begin(), at.position.end());
    draws.gradients.insert(draws.gradients.end(), at.gradient.begin(), at.gradient.end());
  });
  return draws;
}

}  // namespace credo::results
