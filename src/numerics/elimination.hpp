// Summing discrete variables out of a product of factors, one after the other, and drawing them
// back: backward filtering, forward sampling on any graph whose elimination stays narrow (for a
// chain it is the backward algorithm; Koller & Friedman 2009, ch. 9).
//
// Values are logarithms of type T: numbers, or expressions of a graph.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

using Scope = std::vector<std::int32_t>;  // variables, ascending

// More entries than a table can have; larger sizes are replaced by it.
inline constexpr std::int64_t kBeyondTables = std::int64_t{1} << 62;

struct EliminationStep {
  std::int32_t variable;
  Scope neighbours;                   // scope of the message
  std::vector<std::int32_t> factors;  // that hold the variable: given ones, then messages by step
};

struct EliminationPlan {
  std::vector<Scope> scopes;        // scopes of the given factors
  std::vector<std::int32_t> sizes;  // values of each variable
  std::vector<EliminationStep> steps;
  std::int64_t largest_table = 1;  // entries of the largest bucket
  std::int64_t num_entries = 0;    // of all buckets together
  Index width = 0;                 // the most neighbours of a step: the induced width of the order

  const Scope& scope(std::int32_t factor) const {
    const auto given = static_cast<std::int32_t>(scopes.size());
    return factor < given ? scopes[static_cast<std::size_t>(factor)]
                          : steps[static_cast<std::size_t>(factor - given)].neighbours;
  }
  std::int64_t table_size(const Scope& scope) const;  // at most kBeyondTables
  // Place of an assignment (a value from 0 for every variable) in a factor's table; the last
  // variable of the scope is fastest.
  std::int64_t place(const Scope& scope, std::span<const std::int32_t> assignment) const;
};

// The variable to eliminate first: that with the fewest neighbours, or that whose elimination joins the fewest pairs of
// neighbours which haven't met (min-fill [koller2009, sec. 9.4.3.2]), with the fewest neighbours among equals.
enum class EliminationOrder { fewest_neighbours, least_fill };

// The highest variable goes first among equals: chains are summed from their ends, where those with the same data have
// the same sums. Variables without a factor are left alone. Gives up, with the steps so far, when a bucket has more than
// `limit` entries.
EliminationPlan plan_elimination(std::vector<Scope> scopes, std::vector<std::int32_t> sizes,
                                 std::int64_t limit = kBeyondTables,
                                 EliminationOrder order = EliminationOrder::fewest_neighbours);

// Calls visit() for each assignment of the scope's variables, the last fastest.
template <class Visit>
void for_each_assignment(const EliminationPlan& plan, const Scope& scope,
                         std::vector<std::int32_t>& assignment, const Visit& visit) {
  for (const std::int32_t v : scope) assignment[static_cast<std::size_t>(v)] = 0;
  for (;;) {
    visit();
    std::size_t d = scope.size();
    for (; d > 0; --d) {
      const auto v = static_cast<std::size_t>(scope[d - 1]);
      if (++assignment[v] < plan.sizes[v]) break;
      assignment[v] = 0;
    }
    if (d == 0) return;
  }
}

// tables[f]: the values of given factor f; the messages are appended. Returns the logarithm of the
// sum over all assignments, without the factors of empty scope. `total(terms)` is their sum,
// `log_sum(terms)` the log of the sum of their exponentials.
template <class T, class Total, class LogSum>
T eliminate(const EliminationPlan& plan, std::vector<std::vector<T>>& tables, const Total& total,
            const LogSum& log_sum) {
  std::vector<std::int32_t> assignment(plan.sizes.size(), 0);
  std::vector<T> constants, terms, sums;
  for (const EliminationStep& step : plan.steps) {
    const auto v = static_cast<std::size_t>(step.variable);
    std::vector<T> message;
    for_each_assignment(plan, step.neighbours, assignment, [&] {
      sums.clear();
      for (assignment[v] = 0; assignment[v] < plan.sizes[v]; ++assignment[v]) {
        terms.clear();
        for (const std::int32_t f : step.factors)
          terms.push_back(tables[static_cast<std::size_t>(f)]
                                [static_cast<std::size_t>(plan.place(plan.scope(f), assignment))]);
        sums.push_back(total(terms));
      }
      assignment[v] = 0;
      message.push_back(log_sum(sums));
    });
    if (step.neighbours.empty()) constants.push_back(message[0]);
    tables.push_back(std::move(message));
  }
  return total(constants);
}

// Draws the variables in reverse order from the tables that eliminate() has left. choose(weights)
// picks from log weights.
template <class Choose>
void draw_back(const EliminationPlan& plan, const std::vector<std::vector<double>>& tables,
               std::span<std::int32_t> assignment, const Choose& choose) {
  std::vector<double> weights;
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    const auto v = static_cast<std::size_t>(step->variable);
    weights.assign(static_cast<std::size_t>(plan.sizes[v]), 0.0);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      assignment[v] = static_cast<std::int32_t>(k);
      for (const std::int32_t f : step->factors)
        weights[k] += tables[static_cast<std::size_t>(f)]
                            [static_cast<std::size_t>(plan.place(plan.scope(f), assignment))];
    }
    assignment[v] = choose(weights);
  }
}

}  // namespace credo::numerics
