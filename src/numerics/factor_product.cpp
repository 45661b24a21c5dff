#include "numerics/factor_product.hpp"

#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::numerics {
namespace {
std::size_t place_of(std::int32_t v) { return static_cast<std::size_t>(v); }

double total(std::span<const double> terms) {
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

double largest(std::span<const double> terms) {
  return *std::max_element(terms.begin(), terms.end());
}

double log_sum_of(std::span<const double> terms) { return log_sum_exp(terms); }

Scope clique_of(const EliminationStep& step) {
  Scope clique = step.neighbours;
  clique.insert(std::upper_bound(clique.begin(), clique.end(), step.variable), step.variable);
  return clique;
}

// Variables that no factor holds: each of their configurations counts.
double log_free_configurations(const EliminationPlan& plan) {
  std::vector<char> eliminated(plan.sizes.size(), 0);
  for (const EliminationStep& step : plan.steps) eliminated[place_of(step.variable)] = 1;
  double sum = 0.0;
  for (std::size_t v = 0; v < eliminated.size(); ++v)
    if (eliminated[v] == 0) sum += numerics::log(plan.sizes[v]);
  return sum;
}
}  // namespace

FactorTables given(const FactorTables& all, std::span<const std::int32_t> values) {
  FactorTables rest{.scopes = {}, .sizes = all.sizes, .tables = {}, .constant = all.constant};
  const EliminationPlan shape{.scopes = {}, .sizes = all.sizes, .steps = {}};
  std::vector<std::int32_t> at(values.begin(), values.end());
  for (std::size_t f = 0; f < all.scopes.size(); ++f) {
    Scope left;
    for (const std::int32_t v : all.scopes[f])
      if (values[place_of(v)] < 0) left.push_back(v);
    std::vector<double> table;
    for_each_assignment(shape, left, at, [&] {
      table.push_back(all.tables[f][static_cast<std::size_t>(shape.place(all.scopes[f], at))]);
    });
    if (left.empty()) {
      rest.constant += table[0];
    } else {
      rest.scopes.push_back(std::move(left));
      rest.tables.push_back(std::move(table));
    }
  }
  for (std::size_t v = 0; v < values.size(); ++v)
    if (values[v] >= 0) rest.sizes[v] = 1;
  return rest;
}

FactorTables joined(const FactorTables& of, std::span<const Scope> together) {
  FactorTables result = of;
  for (const Scope& scope : together) {
    std::size_t size = 1;
    for (const std::int32_t v : scope) size *= static_cast<std::size_t>(of.sizes[place_of(v)]);
    result.scopes.push_back(scope);
    result.tables.emplace_back(size, 0.0);
  }
  return result;
}

EliminationPlan plan_of(const FactorTables& tables) {
  return plan_elimination(tables.scopes, tables.sizes, kBeyondTables - 1,
                          EliminationOrder::least_fill);
}

FactorProduct::FactorProduct(FactorTables tables, EliminationPlan plan)
    : plan_(std::move(plan)), tables_(std::move(tables.tables)) {
  step_of_.assign(plan_.sizes.size(), -1);
  for (const EliminationStep& step : plan_.steps) {
    step_of_[place_of(step.variable)] = static_cast<std::int32_t>(cliques_.size());
    cliques_.push_back(clique_of(step));
  }
  log_sum_ = tables.constant + log_free_configurations(plan_) +
             eliminate(plan_, tables_, total, log_sum_of);
}

// From the last step, whose clique has no neighbours, back to the first.
void FactorProduct::calibrate() {
  const std::size_t num_given = plan_.scopes.size(), num_steps = plan_.steps.size();
  std::vector<std::size_t> user(num_steps, num_steps);  // user of each step's message
  for (std::size_t i = 0; i < num_steps; ++i)
    for (const std::int32_t f : plan_.steps[i].factors)
      if (place_of(f) >= num_given) user[place_of(f) - num_given] = i;
  beliefs_.resize(num_steps);
  std::vector<std::int32_t> at(plan_.sizes.size(), 0);
  for (std::size_t i = num_steps; i-- > 0;) {
    const EliminationStep& step = plan_.steps[i];
    const std::vector<double> above =
        step.neighbours.empty() ? std::vector{1.0} : sums_over(user[i], step.neighbours);
    const std::vector<double>& message = tables_[num_given + i];
    std::vector<double>& belief = beliefs_[i];
    belief.reserve(static_cast<std::size_t>(plan_.table_size(cliques_[i])));
    for_each_assignment(plan_, cliques_[i], at, [&] {
      const auto n = static_cast<std::size_t>(plan_.place(step.neighbours, at));
      if (above[n] == 0.0) {
        belief.push_back(0.0);
        return;
      }
      double log_weight = -message[n];
      for (const std::int32_t f : step.factors)
        log_weight +=
            tables_[place_of(f)][static_cast<std::size_t>(plan_.place(plan_.scope(f), at))];
      belief.push_back(above[n] * numerics::exp(log_weight));
    });
  }
}

std::vector<double> FactorProduct::sums_over(std::size_t step, const Scope& scope) const {
  std::vector<double> sums(static_cast<std::size_t>(plan_.table_size(scope)), 0.0);
  std::vector<std::int32_t> at(plan_.sizes.size(), 0);
  const std::vector<double>& belief = beliefs_[step];
  std::size_t k = 0;
  for_each_assignment(plan_, cliques_[step], at, [&] {
    sums[static_cast<std::size_t>(plan_.place(scope, at))] += belief[k++];
  });
  return sums;
}

const std::vector<std::vector<double>>& FactorProduct::marginals() {
  if (!marginals_.empty()) return marginals_;
  if (beliefs_.empty()) calibrate();
  for (std::size_t v = 0; v < plan_.sizes.size(); ++v) {
    const auto size = static_cast<std::size_t>(plan_.sizes[v]);
    marginals_.push_back(step_of_[v] < 0
                             ? std::vector<double>(size, 1.0 / static_cast<double>(size))
                             : sums_over(place_of(step_of_[v]), {static_cast<std::int32_t>(v)}));
  }
  return marginals_;
}

// They are all there in the first step that eliminates one of them.
std::vector<double> FactorProduct::joint(const Scope& scope) {
  if (beliefs_.empty()) calibrate();
  std::int32_t first = step_of_[place_of(scope[0])];
  for (const std::int32_t v : scope) first = std::min(first, step_of_[place_of(v)]);
  return sums_over(place_of(first), scope);
}

std::vector<std::int32_t> FactorProduct::draw(
    const std::function<std::int32_t(std::span<const double>)>& choose) const {
  std::vector<std::int32_t> drawn(plan_.sizes.size(), 0);
  for (std::size_t v = 0; v < drawn.size(); ++v)
    if (step_of_[v] < 0 && plan_.sizes[v] > 1)
      drawn[v] = choose(std::vector<double>(static_cast<std::size_t>(plan_.sizes[v]), 0.0));
  draw_back(plan_, tables_, drawn, choose);
  return drawn;
}

Configuration most_probable(const FactorTables& given, const EliminationPlan& plan) {
  std::vector<std::vector<double>> tables = given.tables;
  Configuration best{.values = std::vector<std::int32_t>(plan.sizes.size(), 0)};
  best.log_product = given.constant + eliminate(plan, tables, total, largest);
  draw_back(plan, tables, best.values, [](std::span<const double> weights) {
    return static_cast<std::int32_t>(std::max_element(weights.begin(), weights.end()) -
                                     weights.begin());
  });
  return best;
}

}  // namespace credo::numerics
