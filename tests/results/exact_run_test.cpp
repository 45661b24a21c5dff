// Exact inference about discrete parameters by its two ways, which share no step: elimination and enumeration.
#include "results/estimates/exact_run.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "support/test_seed.hpp"

namespace credo::results::exact_run_test {
namespace {
using numerics::FactorTables;
constexpr double kRounding = 1e-12;  // some 200 terms of size 1, summed in different orders

DiscreteNames names_of(std::vector<std::int32_t> sizes) {
  DiscreteNames names;
  std::vector<density::Variable> variables;
  variables.push_back({.name = "z", .dims = {ssize(sizes)}, .kind = density::Kind::whole});
  names.layout = density::Layout(std::move(variables));
  for (const std::int32_t size : sizes) names.lower.push_back(2), names.upper.push_back(1 + size);
  names.given.assign(sizes.size(), -1);
  return names;
}

// A ring of parameters with 2, 3, 4, 2 and 3 values, and a term of three of them.
FactorTables random_tables(std::uint64_t seed) {
  FactorTables tables{.scopes = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {0, 2, 3}},
                      .sizes = {2, 3, 4, 2, 3},
                      .tables = {},
                      .constant = -1.5};
  Rng rng({.seed = seed, .purpose = purpose::kTest});
  for (const numerics::Scope& scope : tables.scopes) {
    std::size_t size = 1;
    for (const std::int32_t v : scope)
      size *= static_cast<std::size_t>(tables.sizes[static_cast<std::size_t>(v)]);
    tables.tables.emplace_back();
    for (std::size_t k = 0; k < size; ++k) tables.tables.back().push_back(rng.normal());
  }
  return tables;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return kInfinity;
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

double difference(const ExactRun& a, const ExactRun& b) {
  double largest = std::max(std::abs(a.log_sum - b.log_sum),
                            std::abs(a.log_most_probable - b.log_most_probable));
  if (!std::isnan(a.log_given) || !std::isnan(b.log_given))
    largest = std::max(largest, std::abs(a.log_given - b.log_given));
  for (std::size_t m = 0; m < a.marginals.size(); ++m)
    largest = std::max(largest, largest_difference(a.marginals[m], b.marginals[m]));
  EXPECT_EQ(a.pairs.size(), b.pairs.size());
  EXPECT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t k = 0; k < std::min(a.pairs.size(), b.pairs.size()); ++k)
    largest =
        std::max(largest, largest_difference(a.pairs[k].probabilities, b.pairs[k].probabilities));
  for (std::size_t k = 0; k < std::min(a.joints.size(), b.joints.size()); ++k)
    largest =
        std::max(largest, largest_difference(a.joints[k].probabilities, b.joints[k].probabilities));
  return largest;
}

TEST(enumeration, gives_what_elimination_gives_with_and_without_given_values) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const FactorTables tables = random_tables(testing::test_seed(seed));
    DiscreteNames names = names_of(tables.sizes);
    const ExactOptions options{.pairs = true, .joints = {{1, 3, 4}}};
    for (const std::int32_t value : {-1, 2}) {
      names.given[2] = value;
      const ExactRun a = exact_distribution(tables, names, options),
                     b = enumerated_distribution(tables, names, options);
      EXPECT_LT(difference(a, b), kRounding) << seed;
      EXPECT_EQ(a.most_probable, b.most_probable) << seed;
      EXPECT_EQ(std::isnan(b.log_given), value < 0);
    }
  }
}

TEST(enumeration, differs_where_one_entry_of_one_term_differs) {
  const FactorTables tables = random_tables(3);
  FactorTables mutant = tables;
  mutant.tables[3][1] += 1e-6;
  const DiscreteNames names = names_of(tables.sizes);
  EXPECT_GT(
      difference(exact_distribution(tables, names, {}), enumerated_distribution(mutant, names, {})),
      1e-9);
}

// Frequencies of values lie within five standard errors of their probabilities: 14 values, a false alarm once in 10^5 runs.
TEST(enumeration, draws_have_the_marginal_probabilities) {
  const FactorTables tables = random_tables(testing::test_seed(5));
  constexpr Index kDraws = 20000;
  const ExactRun run = enumerated_distribution(
      tables, names_of(tables.sizes), {.num_draws = kDraws, .seed = testing::test_seed(6)});
  ASSERT_EQ(ssize(run.draws), kDraws);
  for (std::size_t m = 0; m < run.marginals.size(); ++m)
    for (std::size_t k = 0; k < run.marginals[m].size(); ++k) {
      const double p = run.marginals[m][k];
      const auto count = std::ranges::count_if(run.draws, [&](const auto& draw) {
        return draw[m] == run.names.lower[m] + static_cast<std::int32_t>(k);
      });
      EXPECT_NEAR(static_cast<double>(count) / double(kDraws), p,
                  5.0 * std::sqrt(p * (1.0 - p) / double(kDraws)));
    }
}

TEST(enumeration, is_refused_beyond_the_limit_and_where_nothing_is_possible) {
  FactorTables tables = random_tables(1);
  const DiscreteNames names = names_of(tables.sizes);
  EXPECT_NO_THROW((void)enumerated_distribution(tables, names, {.most_entries = 144}));
  EXPECT_THROW((void)enumerated_distribution(tables, names, {.most_entries = 143}), Error);
  std::ranges::fill(tables.tables[0], -kInfinity);
  EXPECT_THROW((void)enumerated_distribution(tables, names, {}), Error);
}

}  // namespace
}  // namespace credo::results::exact_run_test
