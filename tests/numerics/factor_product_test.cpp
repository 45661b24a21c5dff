// Exact inference by elimination against the sum over all configurations, on random graphs, trees and chains; and that
// wrong messages are found.
#include "numerics/factor_product.hpp"

#include <gtest/gtest.h>

#include "base/choice.hpp"
#include "base/rng.hpp"
#include "support/test_seed.hpp"

namespace credo::numerics::factor_product_test {
namespace {

// Everything from the definition: each configuration in turn.
struct Enumeration {
  double log_sum = -kInfinity, largest = -kInfinity;
  std::vector<std::vector<double>> marginals;
  std::vector<std::int32_t> most_probable;
  std::vector<double> weights;  // by configuration, the last variable fastest

  explicit Enumeration(const FactorTables& tables) {
    const EliminationPlan shape{.scopes = {}, .sizes = tables.sizes, .steps = {}};
    Scope all(tables.sizes.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::int32_t> at(all.size(), 0);
    std::vector<std::vector<std::int32_t>> configurations;
    for_each_assignment(shape, all, at, [&] {
      double log_product = tables.constant;
      for (std::size_t f = 0; f < tables.scopes.size(); ++f)
        log_product +=
            tables.tables[f][static_cast<std::size_t>(shape.place(tables.scopes[f], at))];
      configurations.push_back(at);
      weights.push_back(log_product);
      if (log_product > largest) largest = log_product, most_probable = at;
    });
    double sum = 0.0;
    for (const double w : weights) sum += std::exp(w - largest);
    log_sum = largest + std::log(sum);
    for (const std::int32_t size : tables.sizes)
      marginals.emplace_back(static_cast<std::size_t>(size), 0.0);
    for (std::size_t c = 0; c < weights.size(); ++c) {
      weights[c] = std::exp(weights[c] - log_sum);
      for (std::size_t v = 0; v < all.size(); ++v)
        marginals[v][static_cast<std::size_t>(configurations[c][v])] += weights[c];
    }
  }
};

// Factors of one, two and three variables of 1 to 4 values; one entry in eight is impossible where `zeros`.
FactorTables random_tables(Rng& rng, Index num_variables, Index num_factors, bool zeros) {
  FactorTables tables;
  for (Index v = 0; v < num_variables; ++v)
    tables.sizes.push_back(static_cast<std::int32_t>(1 + rng.index_below(4)));
  tables.constant = rng.normal();
  const EliminationPlan shape{.scopes = {}, .sizes = tables.sizes, .steps = {}};
  for (Index f = 0; f < num_factors; ++f) {
    Scope scope;
    for (Index k = 1 + rng.index_below(3); k > 0; --k)
      scope.push_back(static_cast<std::int32_t>(rng.index_below(num_variables)));
    std::sort(scope.begin(), scope.end());
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    std::vector<double>& table = tables.tables.emplace_back();
    for (std::int64_t k = 0; k < shape.table_size(scope); ++k)
      table.push_back(zeros && rng.index_below(8) == 0 ? -kInfinity : 1.5 * rng.normal());
    tables.scopes.push_back(std::move(scope));
  }
  return tables;
}

FactorTables hidden_markov_chain(Rng& rng, Index num_times, std::int32_t num_states) {
  FactorTables tables;
  tables.sizes.assign(static_cast<std::size_t>(num_times), num_states);
  const auto add = [&](Scope scope, std::int32_t entries) {
    tables.scopes.push_back(std::move(scope));
    std::vector<double>& table = tables.tables.emplace_back();
    for (std::int32_t k = 0; k < entries; ++k) table.push_back(rng.normal());
  };
  for (std::int32_t t = 0; t < num_times; ++t) {
    if (t > 0) add({t - 1, t}, num_states * num_states);
    add({t}, num_states);
  }
  return tables;
}

constexpr double kRounding = 1e-12;  // of sums of some thousand terms, each to 2^-52

double largest_difference(FactorProduct& found, const Enumeration& exact) {
  double most = std::abs(found.log_sum() - exact.log_sum);
  for (std::size_t v = 0; v < exact.marginals.size(); ++v)
    for (std::size_t k = 0; k < exact.marginals[v].size(); ++k)
      most = std::max(most, std::abs(found.marginals()[v][k] - exact.marginals[v][k]));
  return most;
}

TEST(factor_product, sums_and_marginals_are_those_of_all_configurations) {
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest + 60});
  Index num_possible = 0;
  for (int graph = 0; graph < 200; ++graph) {
    const FactorTables tables =
        random_tables(rng, 1 + rng.index_below(7), rng.index_below(9), graph % 2 == 1);
    FactorProduct found(tables, plan_of(tables));
    const Enumeration exact(tables);
    if (!(exact.largest > -kInfinity)) {
      EXPECT_EQ(found.log_sum(), -kInfinity);
      continue;
    }
    ++num_possible;
    EXPECT_LT(largest_difference(found, exact), kRounding) << "graph " << graph;
    const Configuration best = most_probable(tables, plan_of(tables));
    EXPECT_NEAR(best.log_product, exact.largest, kRounding * (1.0 + std::abs(exact.largest)));
    FactorTables there = given(tables, best.values);  // its density is what was told
    EXPECT_NEAR(there.constant, exact.largest, kRounding * (1.0 + std::abs(exact.largest)));
  }
  EXPECT_GT(num_possible, 150);
}

TEST(factor_product, joint_probabilities_are_those_of_all_configurations) {
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest + 61});
  for (int graph = 0; graph < 50; ++graph) {
    const FactorTables tables = random_tables(rng, 6, 8, false);
    FactorProduct found(tables, plan_of(tables));
    const Enumeration exact(tables);
    const EliminationPlan shape{.scopes = {}, .sizes = tables.sizes, .steps = {}};
    Scope all(tables.sizes.size());
    std::iota(all.begin(), all.end(), 0);
    for (const Scope& scope : tables.scopes) {
      std::vector<double> sums(static_cast<std::size_t>(shape.table_size(scope)), 0.0);
      std::vector<std::int32_t> at(all.size(), 0);
      std::size_t c = 0;
      for_each_assignment(shape, all, at, [&] {
        sums[static_cast<std::size_t>(shape.place(scope, at))] += exact.weights[c++];
      });
      const std::vector<double> joint = found.joint(scope);
      ASSERT_EQ(joint.size(), sums.size());
      for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_NEAR(joint[k], sums[k], kRounding);
    }
  }
}

// Of any three variables, whether or not they meet; and what else is told stays as it is.
TEST(factor_product, joint_probabilities_of_any_variables_are_those_of_all_configurations) {
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest + 68});
  int apart = 0;
  for (int graph = 0; graph < 50; ++graph) {
    const FactorTables tables = random_tables(rng, 6, 8, false);
    const EliminationPlan shape{.scopes = {}, .sizes = tables.sizes, .steps = {}};
    Scope all(tables.sizes.size());
    std::iota(all.begin(), all.end(), 0);
    const std::array<Scope, 2> together{Scope{0, 2, 5}, Scope{1, 4}};
    FactorProduct found(joined(tables, together), plan_of(joined(tables, together)));
    FactorProduct plain(tables, plan_of(tables));
    EXPECT_NEAR(found.log_sum(), plain.log_sum(), 1e-12);
    const Enumeration exact(tables);
    for (const Scope& scope : together) {
      std::vector<double> sums(static_cast<std::size_t>(shape.table_size(scope)), 0.0),
          apart_sums = sums;
      std::vector<std::int32_t> at(all.size(), 0);
      std::size_t c = 0;
      for_each_assignment(shape, all, at, [&] {
        double product = 1.0;
        for (const std::int32_t v : scope)
          product *= plain.marginals()[static_cast<std::size_t>(v)]
                                      [static_cast<std::size_t>(at[static_cast<std::size_t>(v)])];
        const auto place = static_cast<std::size_t>(shape.place(scope, at));
        apart_sums[place] = product;
        sums[place] += exact.weights[c++];
      });
      const std::vector<double> joint = found.joint(scope);
      ASSERT_EQ(joint.size(), sums.size());
      double largest = 0.0;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        EXPECT_NEAR(joint[k], sums[k], kRounding);
        largest = std::max(largest, std::abs(sums[k] - apart_sums[k]));
      }
      apart += largest > 1e-3 ? 1 : 0;
    }
  }
  EXPECT_GT(apart, 20);  // of 100 sets, so many depend: products of marginals would be found out
}

// α_t(j) = Σ_i α_{t-1}(i) a(i, j) b_t(j), β backwards: another algorithm than elimination by fill.
TEST(factor_product, on_a_chain_it_is_forward_and_backward) {
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest + 62});
  const Index num_times = 30;
  const std::int32_t n = 4;
  const FactorTables tables = hidden_markov_chain(rng, num_times, n);
  FactorProduct found(tables, plan_of(tables));
  EXPECT_EQ(found.plan().width, 1);
  EXPECT_LE(found.plan().num_entries, num_times * n * n);           // T N² operations, not N^T
  const auto pair = [&](Index t, std::int32_t i, std::int32_t j) {  // from t to t + 1
    return std::exp(
        tables.tables[static_cast<std::size_t>(2 * t + 1)][static_cast<std::size_t>(i * n + j)]);
  };
  const auto single = [&](Index t, std::int32_t j) {
    return std::exp(tables.tables[static_cast<std::size_t>(2 * t)][static_cast<std::size_t>(j)]);
  };
  std::vector<std::vector<double>> alpha(30, std::vector<double>(4)),
      beta(30, std::vector<double>(4, 1.0));
  for (std::int32_t j = 0; j < n; ++j) alpha[0][static_cast<std::size_t>(j)] = single(0, j);
  for (Index t = 1; t < num_times; ++t)
    for (std::int32_t j = 0; j < n; ++j)
      for (std::int32_t i = 0; i < n; ++i)
        alpha[static_cast<std::size_t>(t)][static_cast<std::size_t>(j)] +=
            alpha[static_cast<std::size_t>(t - 1)][static_cast<std::size_t>(i)] *
            pair(t - 1, i, j) * single(t, j);
  for (Index t = num_times - 2; t >= 0; --t)
    for (std::int32_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (std::int32_t j = 0; j < n; ++j)
        sum += pair(t, i, j) * single(t + 1, j) *
               beta[static_cast<std::size_t>(t + 1)][static_cast<std::size_t>(j)];
      beta[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)] = sum;
    }
  double z = 0.0;
  for (const double a : alpha.back()) z += a;
  EXPECT_NEAR(found.log_sum(), std::log(z), 1e-11);
  for (std::size_t t = 0; t < 30; ++t)
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(found.marginals()[t][k], alpha[t][k] * beta[t][k] / z, 1e-11);
}

TEST(factor_product, the_most_probable_path_of_a_chain_is_viterbis) {
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest + 63});
  for (int chain = 0; chain < 20; ++chain) {
    const FactorTables tables = hidden_markov_chain(rng, 7, 3);
    EXPECT_EQ(most_probable(tables, plan_of(tables)).values, Enumeration(tables).most_probable);
  }
}

TEST(factor_product, what_is_given_conditions_and_leaves_its_factors) {
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest + 64});
  for (int graph = 0; graph < 50; ++graph) {
    FactorTables tables = random_tables(rng, 6, 8, false);
    std::vector<std::int32_t> values(6, -1);
    values[1] = tables.sizes[1] - 1, values[4] = 0;
    const FactorTables rest = given(tables, values);
    FactorProduct found(rest, plan_of(rest));
    // The same by a factor that forbids other values.
    for (const std::int32_t v : {1, 4}) {
      tables.scopes.push_back({v});
      auto& table = tables.tables.emplace_back(
          static_cast<std::size_t>(tables.sizes[static_cast<std::size_t>(v)]), -kInfinity);
      table[static_cast<std::size_t>(values[static_cast<std::size_t>(v)])] = 0.0;
    }
    const Enumeration exact(tables);
    EXPECT_NEAR(found.log_sum(), exact.log_sum, kRounding * (1.0 + std::abs(exact.log_sum)));
    for (const std::size_t v : {0, 2, 3, 5})
      for (std::size_t k = 0; k < exact.marginals[v].size(); ++k)
        EXPECT_NEAR(found.marginals()[v][k], exact.marginals[v][k], kRounding);
  }
}

// χ² of the configurations drawn; 4 standard deviations above its mean.
TEST(factor_product, draws_are_from_the_joint_distribution) {
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest + 65});
  FactorTables tables = random_tables(rng, 5, 7, false);
  tables.sizes.push_back(3);  // in no factor: alike
  FactorProduct product(tables, plan_of(tables));
  const Enumeration exact(tables);
  const EliminationPlan shape{.scopes = {}, .sizes = tables.sizes, .steps = {}};
  const Scope all{0, 1, 2, 3, 4, 5};
  std::vector<double> counts(exact.weights.size(), 0.0), weights;
  constexpr int kDraws = 20000;
  for (int s = 0; s < kDraws; ++s) {
    const auto drawn = product.draw([&](std::span<const double> log_weights) {
      weights.clear();
      const double most = *std::max_element(log_weights.begin(), log_weights.end());
      for (const double w : log_weights) weights.push_back(std::exp(w - most));
      return static_cast<std::int32_t>(choose_by_weight(weights, rng.uniform()));
    });
    ++counts[static_cast<std::size_t>(shape.place(all, drawn))];
  }
  double chi_square = 0.0, degrees = -1.0, rare = 0.0, rare_expected = 0.0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const double expected = kDraws * exact.weights[c];
    if (expected < 5.0) {
      rare += counts[c], rare_expected += expected;
      continue;
    }
    chi_square += std::pow(counts[c] - expected, 2) / expected, ++degrees;
  }
  EXPECT_LT(chi_square, degrees + 4.0 * std::sqrt(2.0 * degrees));
  EXPECT_NEAR(rare, rare_expected, 4.0 * std::sqrt(rare_expected) + 1.0);
}

// ---- mutants: elimination with the fault, held to the enumeration as above

// The message of the step that uses a given factor is made without it.
EliminationPlan without_a_factor(EliminationPlan plan, std::int32_t which) {
  for (EliminationStep& step : plan.steps) std::erase(step.factors, which);
  return plan;
}

// A message is passed on from j to i with a table a(i, j) read as a(j, i).
FactorTables turned(const FactorTables& tables, std::size_t which) {
  FactorTables wrong = tables;
  const auto n = static_cast<std::size_t>(tables.sizes[0]);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      wrong.tables[which][i * n + j] = tables.tables[which][j * n + i];
  return wrong;
}

TEST(factor_product, a_missing_factor_and_a_turned_message_are_found) {
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest + 66});
  for (int chain = 0; chain < 20; ++chain) {
    const FactorTables tables = hidden_markov_chain(rng, 6, 3);
    const Enumeration exact(tables);
    for (const std::int32_t which : {1, 4}) {  // a pair and a single one
      FactorProduct mutant(tables, without_a_factor(plan_of(tables), which));
      EXPECT_GT(largest_difference(mutant, exact), 1e6 * kRounding);
    }
    const FactorTables other = turned(tables, 5);
    FactorProduct mutant(other, plan_of(other));
    EXPECT_GT(largest_difference(mutant, exact), 1e6 * kRounding);
  }
}

// ---- orders

// A plan is right where each step takes all that is left of its variable.
TEST(elimination_order, least_fill_sums_a_cycle_with_width_two_and_a_grid_by_its_side) {
  const auto cycle = [](std::int32_t n) {
    std::vector<Scope> scopes;
    for (std::int32_t v = 0; v < n; ++v)
      scopes.push_back({std::min(v, (v + 1) % n), std::max(v, (v + 1) % n)});
    return scopes;
  };
  EXPECT_EQ(plan_elimination(cycle(50), std::vector<std::int32_t>(50, 2), kBeyondTables,
                             EliminationOrder::least_fill)
                .width,
            2);
  std::vector<Scope> grid;
  const std::int32_t side = 6;
  for (std::int32_t r = 0; r < side; ++r)
    for (std::int32_t c = 0; c < side; ++c) {
      if (c + 1 < side) grid.push_back({r * side + c, r * side + c + 1});
      if (r + 1 < side) grid.push_back({r * side + c, (r + 1) * side + c});
    }
  const EliminationPlan plan = plan_elimination(grid, std::vector<std::int32_t>(36, 2),
                                                kBeyondTables, EliminationOrder::least_fill);
  EXPECT_EQ(plan.steps.size(), 36u);
  EXPECT_GE(plan.width, side);  // the treewidth of a grid is its side
  EXPECT_LE(plan.width, side + 2);
}

// Four variables around a cycle have two neighbours each, but so has the tip of a triangle, and only there nothing is joined.
TEST(elimination_order, least_fill_prefers_what_joins_nothing) {
  const std::vector<Scope> scopes{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {4, 5}, {4, 6}, {5, 6}};
  const std::vector<std::int32_t> sizes(7, 2);
  const auto first = [&](EliminationOrder order) {
    return plan_elimination(scopes, sizes, kBeyondTables, order).steps[0].variable;
  };
  EXPECT_EQ(first(EliminationOrder::least_fill), 6);
  const std::vector<Scope> reversed{{3, 4}, {4, 5}, {5, 6}, {3, 6}, {0, 1}, {0, 2}, {1, 2}};
  EXPECT_EQ(plan_elimination(reversed, sizes).steps[0].variable, 6);
  EXPECT_EQ(plan_elimination(reversed, sizes, kBeyondTables, EliminationOrder::least_fill)
                .steps[0]
                .variable,
            2);
}

TEST(elimination_order, sizes_beyond_all_tables_are_told_as_that) {
  std::vector<Scope> all_pairs;
  for (std::int32_t a = 0; a < 90; ++a)
    for (std::int32_t b = a + 1; b < 90; ++b) all_pairs.push_back({a, b});
  FactorTables tables{.scopes = all_pairs, .sizes = std::vector<std::int32_t>(90, 3), .tables = {}};
  const EliminationPlan plan = plan_of(tables);
  EXPECT_EQ(plan.largest_table, kBeyondTables);
  EXPECT_LT(plan.steps.size(), 90u);
}

}  // namespace
}  // namespace credo::numerics::factor_product_test
