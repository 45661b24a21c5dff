#include "results/checks/loo_pit.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "diagnose/psis.hpp"
#include "results/draws/row_likelihoods.hpp"

namespace credo::results {
namespace {

std::vector<double> rows_at(const density::LogDensity& density, std::span<const double> point,
                            Index num_rows) {
  std::vector<double> rows(static_cast<std::size_t>(num_rows));
  density::Request request{.position = point, .gradient = {}, .status = {}, .pointwise = rows};
  density.make_evaluator()->evaluate(density::Want::pointwise, std::array{&request});
  return request.status.ok() ? rows : std::vector<double>{};
}

// A value that the element might have had; nothing where it always has the same.
std::optional<double> other_value(std::span<const std::vector<double>> other, std::size_t element,
                                  double now) {
  for (const std::vector<double>& values : other)
    if (values[element] != now && std::isfinite(values[element])) return values[element];
  return std::nullopt;
}

// Rows that change if the elements with a bit in their numbers change, or those without it.
class RowChanges {
 public:
  RowChanges(const density::Model& model, const density::ObservedVariable& data,
             std::span<const std::vector<double>> other, std::span<const double> point)
      : model_(model), data_(data), point_(point), num_rows_(model.num_rows()) {
    before_ = rows_at(model, point, num_rows_);
    for (std::size_t e = 0; e < data.values.size(); ++e)
      instead_.push_back(other_value(other, e, data.values[e]));
  }
  bool knows(std::size_t element) const { return instead_[element].has_value(); }
  Index num_rows() const { return num_rows_; }

  // Empty where the model doesn't take such data.
  std::vector<char> changed(std::size_t bit, bool has_bit) const {
    density::ObservedVariable data = data_;
    for (std::size_t e = 0; e < data.values.size(); ++e)
      if (((e >> bit & 1U) != 0) == has_bit && instead_[e]) data.values[e] = *instead_[e];
    std::vector<density::ObservedVariable> all = observed_data(model_);
    for (density::ObservedVariable& one : all)
      if (one.variable.name == data.variable.name) one = data;
    const auto other = model_.other_data();
    const auto model = other ? other->with_observed(all) : nullptr;
    if (model == nullptr || model->num_rows() != num_rows_) return {};
    const std::vector<double> now = rows_at(*model, point_, num_rows_);
    if (now.empty() || before_.empty()) return {};
    std::vector<char> is_other;
    for (std::size_t i = 0; i < now.size(); ++i) is_other.push_back(now[i] != before_[i] ? 1 : 0);
    return is_other;
  }

 private:
  const density::Model& model_;
  const density::ObservedVariable& data_;
  std::span<const double> point_;
  Index num_rows_;
  std::vector<double> before_;
  std::vector<std::optional<double>> instead_;
};

const density::ObservedVariable& observed_named(std::span<const density::ObservedVariable> all,
                                                const Replicated& replicated) {
  for (const density::ObservedVariable& one : all)
    if (one.variable.name == replicated.name && one.values.size() == replicated.observed.size())
      return one;
  throw Error(
      ErrorCode::usage,
      fmt::format("{} isn't a variable of the data that is drawn as a whole", replicated.name),
      "--loo-pit", "state the density of all of a variable of the data block");
}

// The log likelihood of a draw's rows.
class ChosenRows {
 public:
  ChosenRows(const Fit& fit, const density::Model& model, std::span<const Index> draws) {
    const FitPoints points(fit, model);
    const Index num_rows = model.num_rows(), per_chain = fit.num_draws(false);
    const auto evaluator = model.make_evaluator();
    for (const Index draw : draws) {
      stop_if_asked();
      const std::vector<double> point = points.read(draw / per_chain, draw % per_chain, 1).front();
      auto& rows = all_.emplace_back(static_cast<std::size_t>(num_rows));
      density::Request request{.position = point, .gradient = {}, .status = {}, .pointwise = rows};
      evaluator->evaluate(density::Want::pointwise, std::array{&request});
      if (!request.status.ok())
        throw Error(ErrorCode::evaluation, model.describe(request.status), fit.origin().source,
                    "is it the program of the fit?");
    }
  }
  // Log importance weights without a row: smoothed, they add up to 1. Returns Pareto k.
  double weigh_without(Index row, std::vector<double>& weights) const {
    weights.clear();
    for (const std::vector<double>& rows : all_)
      weights.push_back(-rows[static_cast<std::size_t>(row)]);
    return diagnose::smooth_weights(weights);
  }

 private:
  std::vector<std::vector<double>> all_;
};

double place_among(const Replicated& replicated, std::size_t element,
                   std::span<const double> log_weights, double uniform) {
  const auto count = static_cast<double>(replicated.draws.size());
  double below = 0.0, equal = 0.0;
  for (std::size_t s = 0; s < replicated.draws.size(); ++s) {
    const double x = replicated.draws[s][element], weight = std::exp(log_weights[s]);
    below += x < replicated.observed[element] ? weight : 0.0;
    equal += x == replicated.observed[element] ? weight : 0.0;
  }
  return (below * count + uniform * (equal * count + 1.0)) / (count + 1.0);
}
}  // namespace

// Element numbers are found bit by bit: a bit is 1 if the row changes with the elements that have it, 0 if it changes with
// those that lack it. A row that changes with both belongs to several elements.
std::vector<Index> rows_of_elements(const density::Model& model,
                                    const density::ObservedVariable& data,
                                    std::span<const std::vector<double>> other,
                                    std::span<const double> point) {
  const RowChanges changes(model, data, other, point);
  const std::size_t num_elements = data.values.size();
  std::vector<std::size_t> element_of(static_cast<std::size_t>(changes.num_rows()), 0);
  std::vector<char> is_of_one(element_of.size(), 1);
  const auto ask = [&](std::size_t bit) {
    const std::vector<char> with = changes.changed(bit, true),
                            without = changes.changed(bit, false);
    for (std::size_t i = 0; i < element_of.size(); ++i) {
      const bool knows = !with.empty() && !without.empty() && with[i] != without[i];
      if (!knows) is_of_one[i] = 0;
      if (knows && with[i] != 0) element_of[i] |= std::size_t{1} << bit;
    }
  };
  ask(0);
  for (std::size_t bit = 1; num_elements > std::size_t{1} << bit; ++bit) ask(bit);
  std::vector<Index> rows(num_elements, -1), num_found(num_elements, 0);
  for (std::size_t i = 0; i < element_of.size(); ++i) {
    if (is_of_one[i] == 0 || element_of[i] >= num_elements) continue;
    rows[element_of[i]] = static_cast<Index>(i);
    ++num_found[element_of[i]];
  }
  for (std::size_t e = 0; e < num_elements; ++e)
    if (num_found[e] != 1 || !changes.knows(e)) rows[e] = -1;
  return rows;
}

namespace {
// Rows of the likelihood, and the row that belongs to each element of the data.
struct ElementRows {
  const density::Model* model;
  std::vector<Index> rows;
  bool has_any() const {
    return std::any_of(rows.begin(), rows.end(), [](Index row) { return row >= 0; });
  }
};
}  // namespace

LooPit loo_pit(const Fit& fit, const density::Model& model, const Replicated& replicated,
               const CheckOptions& options) {
  const std::vector<density::ObservedVariable> observed = observed_data(model);
  const density::ObservedVariable& data = observed_named(observed, replicated);
  if (model.num_rows() == 0)
    throw Error(ErrorCode::program, "the likelihood has no rows", model.name(),
                "write it with density statements of data");
  const std::vector<Index> draws = draws_of_replicates(fit, options.num_draws);
  const std::vector<double> point = FitPoints(fit, model).read(0, 0, 1).front();
  ElementRows own{&model, rows_of_elements(model, data, replicated.draws, point)};
  const auto stated = !own.has_any() && has_own_rows(model)
                          ? with_rows_by(model, density::RowsBy::statements)
                          : nullptr;
  if (stated != nullptr && stated->num_rows() > 0)
    own = {stated.get(), rows_of_elements(*stated, data, replicated.draws, point)};
  const std::vector<Index>& rows = own.rows;
  const ChosenRows likelihood(fit, *own.model, draws);
  Rng rng({.seed = options.seed, .purpose = purpose::kReplicate, .chain = 4, .iteration = 0});
  LooPit pit;
  pit.has_own_rows = has_own_rows(*own.model);
  pit.k_limit = diagnose::pareto_k_limit(ssize(draws));
  std::vector<double> weights;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const double uniform = rng.uniform();
    if (rows[e] < 0) {
      ++pit.num_unmatched;
      continue;
    }
    const double k = likelihood.weigh_without(rows[e], weights);
    pit.largest_k = std::isnan(pit.largest_k) ? k : std::max(pit.largest_k, k);
    pit.num_unreliable += k <= pit.k_limit ? 0 : 1;
    pit.places.push_back(place_among(replicated, e, weights, uniform));
    pit.elements.push_back(replicated.elements[e]);
  }
  pit.figures = judge_places(pit.places);
  return pit;
}

}  // namespace credo::results
