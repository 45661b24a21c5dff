// Engines of fields against enumeration of all labellings in long double.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "random_field.hpp"

namespace credo::models::fields_test {
namespace {
using testing::Enumerated;
using testing::GraphKind;
using testing::RandomField;

Rng test_rng(std::uint32_t chain) {
  return Rng({.seed = 7, .purpose = purpose::kTest, .chain = chain});
}

// Sums of up to 3^7 terms of about 1e1 in double: 1e-10 leaves four digits for rounding.
constexpr double kExact = 1e-10;

double largest_error(const FieldMoments& made, const Enumerated& right) {
  double error = std::abs(made.log_z - static_cast<double>(right.log_z));
  for (std::size_t k = 0; k < right.nodes.size(); ++k)
    error = std::max(error, std::abs(made.nodes[k] - static_cast<double>(right.nodes[k])));
  for (std::size_t t = 0; t < right.pairs.size(); ++t)
    for (std::size_t k = 0; k < right.pairs[t].size(); ++k)
      error = std::max(error, std::abs(made.pairs[t][k] - static_cast<double>(right.pairs[t][k])));
  return error;
}

struct Exact {
  const char* name;
  std::unique_ptr<FieldEngine> (*make)();
  GraphKind kind;
};
const Exact kExactEngines[] = {{"chain", chain_engine, GraphKind::chain},
                               {"forest of a chain", forest_engine, GraphKind::chain},
                               {"forest", forest_engine, GraphKind::tree},
                               {"elimination", elimination_engine, GraphKind::any},
                               {"elimination of a tree", elimination_engine, GraphKind::tree}};

TEST(field_engines, have_the_sums_marginals_and_best_labels_of_enumeration) {
  for (const Exact& row : kExactEngines) {
    Rng rng = test_rng(1);
    const auto engine = row.make();
    for (int k = 0; k < 100; ++k) {
      const RandomField field = testing::random_field(row.kind, 1 + rng.index_below(6),
                                                      k % 3 == 2 ? 30.0 : 1.5, 0.25, rng);
      const Enumerated right = testing::enumerate(field.graph, field.scores());
      const FieldMoments made = engine->moments(field.graph, field.scores());
      ASSERT_LT(largest_error(made, right), kExact) << row.name << " " << k;
      const double best =
          score_of(field.graph, field.scores(), engine->best(field.graph, field.scores()));
      ASSERT_NEAR(best, static_cast<double>(right.largest), kExact) << row.name << " " << k;
    }
  }
}

// Two mutants that the comparison must reject: pairs the other way round, and a forbidden pair that is allowed.
TEST(field_engines, with_transposed_or_allowed_pairs_differ_from_enumeration) {
  Rng rng = test_rng(2);
  int num_transposed = 0, num_allowed = 0, num_forbidden = 0;
  for (int k = 0; k < 50; ++k) {
    const RandomField field = testing::random_field(GraphKind::chain, 4, 1.5, 0.3, rng);
    const Enumerated right = testing::enumerate(field.graph, field.scores());
    RandomField turned = field, open = field;
    PairTable& table = turned.pairs[0];
    for (Index a = 0; a < table.rows; ++a)
      for (Index b = 0; b < table.cols; ++b)
        table.scores[static_cast<std::size_t>(a * table.cols + b)] = field.pairs[0].at(b, a);
    table.prepare();
    bool was_forbidden = false;
    for (double& x : open.pairs[0].scores)
      if (x == -kInfinity) x = 0.0, was_forbidden = true;
    open.pairs[0].prepare();
    num_forbidden += was_forbidden;
    const auto engine = chain_engine();
    num_transposed += largest_error(engine->moments(field.graph, turned.scores()), right) > kExact;
    num_allowed += largest_error(engine->moments(field.graph, open.scores()), right) > kExact;
  }
  EXPECT_EQ(num_transposed, 50);
  EXPECT_EQ(num_allowed, num_forbidden);
  EXPECT_GT(num_forbidden, 30);
}

// A labelling whose first label is 900 nats worse than another, which its only successor more than makes up for: scaled sums
// would lose it.
TEST(field_engines, of_chains_keep_labellings_that_underflow_at_first) {
  FieldGraph graph;
  graph.add_node(2), graph.add_node(2);
  graph.edges.push_back({.from = 0, .to = 1});
  PairTable pairs{.rows = 2, .cols = 2, .scores = {0.0, -kInfinity, -kInfinity, 0.0}};
  pairs.prepare();
  const std::vector<double> nodes{0.0, -900.0, 0.0, 950.0};
  const FieldScores scores{.nodes = nodes, .pairs = std::span(&pairs, 1)};
  const FieldMoments made = chain_engine()->moments(graph, scores);
  EXPECT_NEAR(made.log_z, 50.0, kExact);
  EXPECT_NEAR(made.nodes[1], 1.0, kExact);
}

TEST(field_engines, draw_labellings_as_often_as_they_are_probable) {
  constexpr int kDraws = 20000;
  for (const Exact& row : kExactEngines) {
    Rng rng = test_rng(3);
    const RandomField field = testing::random_field(row.kind, 4, 1.0, 0.2, rng);
    const Enumerated right = testing::enumerate(field.graph, field.scores());
    std::map<std::vector<Index>, int> counts;
    const auto engine = row.make();
    for (int k = 0; k < kDraws; ++k) ++counts[engine->draw(field.graph, field.scores(), rng)];
    double chi_square = 0.0, num_cells = 0.0;
    testing::for_each_labelling(field.graph, [&](const std::vector<Index>& labels) {
      const double p = std::exp(score_of(field.graph, field.scores(), labels) -
                                static_cast<double>(right.log_z));
      const double expected = kDraws * p, seen = counts.contains(labels) ? counts[labels] : 0.0;
      EXPECT_FALSE(p == 0.0 && seen > 0.0) << row.name;
      if (expected < 5.0) return;
      chi_square += (seen - expected) * (seen - expected) / expected, num_cells += 1.0;
    });
    // Five standard deviations of a chi-square variable: about 1e-5 of correct engines fail.
    EXPECT_LT(chi_square, num_cells + 5.0 * std::sqrt(2.0 * num_cells)) << row.name;
  }
}

TEST(field_engines, of_local_conditionals_have_the_products_of_enumeration) {
  Rng rng = test_rng(4);
  const auto engine = local_engine();
  for (int k = 0; k < 100; ++k) {
    const RandomField field = testing::random_field(GraphKind::chain, 4, 1.5, 0.25, rng);
    double sum = 0.0, largest = 0.0;
    std::vector<double> nodes(field.nodes.size());
    testing::for_each_labelling(field.graph, [&](const std::vector<Index>& labels) {
      const double p =
          std::exp(engine->log_probability(field.graph, field.scores(), labels, nullptr));
      sum += p, largest = std::max(largest, p);
      for (std::size_t i = 0; i < labels.size(); ++i)
        nodes[static_cast<std::size_t>(field.graph.first[i] + labels[i])] += p;
    });
    EXPECT_NEAR(sum, 1.0, kExact);
    const std::vector<Index> best = engine->best(field.graph, field.scores());
    EXPECT_NEAR(std::exp(engine->log_probability(field.graph, field.scores(), best, nullptr)),
                largest, kExact);
    const FieldMoments made = engine->moments(field.graph, field.scores());
    for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_NEAR(made.nodes[i], nodes[i], kExact);
  }
}

// [murphy2023, sec. 19.2.1.1]: a change of the last score changes the first label's probabilities of a chain, and not those of
// local conditionals.
TEST(field_engines, of_local_conditionals_have_label_bias_and_chains_have_none) {
  Rng rng = test_rng(5);
  RandomField field = testing::random_field(GraphKind::chain, 3, 1.0, 0.0, rng);
  RandomField later = field;
  later.nodes.back() += 3.0;
  const auto change = [&](const FieldEngine& engine) {
    return std::abs(engine.moments(field.graph, field.scores()).nodes[0] -
                    engine.moments(later.graph, later.scores()).nodes[0]);
  };
  EXPECT_EQ(change(*local_engine()), 0.0);
  EXPECT_GT(change(*chain_engine()), 1e-3);
}

TEST(field_engines, have_slopes_of_log_probabilities_that_equal_differences) {
  struct Row {
    const char* name;
    std::unique_ptr<FieldEngine> engine;
    GraphKind kind;
  };
  std::vector<Row> rows;
  rows.push_back({"chain", chain_engine(), GraphKind::chain});
  rows.push_back({"local", local_engine(), GraphKind::chain});
  rows.push_back({"forest", forest_engine(), GraphKind::tree});
  rows.push_back({"elimination", elimination_engine(), GraphKind::any});
  rows.push_back({"loopy", loopy_engine(), GraphKind::any});
  rows.push_back({"unrolled", unrolled_engine(3), GraphKind::any});
  for (const Row& row : rows) {
    Rng rng = test_rng(6);
    for (int k = 0; k < 20; ++k) {
      RandomField field = testing::random_field(row.kind, 4, 0.5, 0.0, rng);
      const std::vector<Index> labels(4, k % 2);
      FieldMoments slope;
      const double height =
          row.engine->log_probability(field.graph, field.scores(), labels, &slope);
      EXPECT_LE(height, row.kind == GraphKind::any ? 1e-3 : 0.0) << row.name;
      const auto value_at = [&](double& x, double shift) {
        const double before = x;
        x += shift;
        for (PairTable& table : field.pairs) table.prepare();
        const double value =
            row.engine->log_probability(field.graph, field.scores(), labels, nullptr);
        x = before;
        for (PairTable& table : field.pairs) table.prepare();
        return value;
      };
      // Central differences with step 1e-4: an error of 1e-8 by the third derivative, of 1e-7 by messages that end at 1e-11.
      constexpr double kStep = 1e-4, kClose = 1e-6;
      for (std::size_t i = 0; i < field.nodes.size(); ++i)
        EXPECT_NEAR(
            slope.nodes[i],
            (value_at(field.nodes[i], kStep) - value_at(field.nodes[i], -kStep)) / (2.0 * kStep),
            kClose)
            << row.name;
      for (std::size_t t = 0; t < field.pairs.size(); ++t)
        for (std::size_t i = 0; i < field.pairs[t].scores.size(); ++i) {
          double& x = field.pairs[t].scores[i];
          EXPECT_NEAR(slope.pairs[t][i], (value_at(x, kStep) - value_at(x, -kStep)) / (2.0 * kStep),
                      kClose)
              << row.name;
        }
    }
  }
}

TEST(field_engines, of_belief_propagation_are_exact_on_trees_and_close_on_weak_cycles) {
  Rng rng = test_rng(8);
  const auto engine = loopy_engine();
  double largest_on_cycles = 0.0;
  for (int k = 0; k < 50; ++k) {
    const RandomField tree = testing::random_field(GraphKind::tree, 6, 1.0, 0.2, rng);
    EXPECT_LT(largest_error(engine->moments(tree.graph, tree.scores()),
                            testing::enumerate(tree.graph, tree.scores())),
              1e-8);
    const RandomField weak = testing::random_field(GraphKind::any, 6, 0.1, 0.0, rng);
    const FieldMoments made = engine->moments(weak.graph, weak.scores());
    EXPECT_TRUE(made.has_converged);
    largest_on_cycles = std::max(
        largest_on_cycles, largest_error(made, testing::enumerate(weak.graph, weak.scores())));
  }
  // Up to nine edges with couplings of about 0.1, some of them double: the largest of 50 errors is below a few of their products.
  EXPECT_LT(largest_on_cycles, 0.1);
  EXPECT_GT(largest_on_cycles, 1e-8);  // it isn't exact there
}

TEST(field_engines, of_mean_field_bound_the_sum_from_below) {
  Rng rng = test_rng(9);
  for (int k = 0; k < 50; ++k) {
    const RandomField field = testing::random_field(GraphKind::any, 6, 0.7, 0.0, rng);
    const double right = static_cast<double>(testing::enumerate(field.graph, field.scores()).log_z);
    const FieldMoments made = mean_field_engine()->moments(field.graph, field.scores());
    EXPECT_TRUE(made.has_converged);
    EXPECT_LE(made.log_z, right + kExact);
    EXPECT_GT(made.log_z, right - 3.0);
    // The fixed point is that of parallel steps, too, where these settle.
    RandomField weak = field;
    for (PairTable& table : weak.pairs) {
      for (double& x : table.scores) x *= 0.2;
      table.prepare();
    }
    const FieldMoments settled = mean_field_engine()->moments(weak.graph, weak.scores()),
                       steps = unrolled_engine(200)->moments(weak.graph, weak.scores());
    for (std::size_t i = 0; i < steps.nodes.size(); ++i)
      EXPECT_NEAR(steps.nodes[i], settled.nodes[i], 1e-8);
  }
}

TEST(field_engines, refuse_fields_without_an_allowed_labelling_and_draws_of_approximations) {
  FieldGraph graph;
  graph.add_node(1), graph.add_node(1);
  graph.edges.push_back({.from = 0, .to = 1});
  PairTable pairs{.rows = 1, .cols = 1, .scores = {-kInfinity}};
  pairs.prepare();
  const std::vector<double> nodes{0.0, 0.0};
  const FieldScores scores{.nodes = nodes, .pairs = std::span(&pairs, 1)};
  for (const auto& engine : {chain_engine(), forest_engine(), elimination_engine(), local_engine()})
    EXPECT_THROW(engine->moments(graph, scores), Error);
  Rng rng = test_rng(10);
  EXPECT_THROW(loopy_engine()->draw(graph, scores, rng), Error);
}

TEST(elimination, has_the_largest_table_of_a_grid_of_its_shorter_side) {
  FieldGraph grid;
  constexpr Index kRows = 5, kCols = 3;
  for (Index i = 0; i < kRows * kCols; ++i) grid.add_node(2);
  for (Index r = 0; r < kRows; ++r)
    for (Index c = 0; c < kCols; ++c) {
      if (c + 1 < kCols) grid.edges.push_back({.from = r * kCols + c, .to = r * kCols + c + 1});
      if (r + 1 < kRows) grid.edges.push_back({.from = r * kCols + c, .to = (r + 1) * kCols + c});
    }
  EXPECT_EQ(largest_elimination(grid), 16.0);  // 2^(3 + 1)
  EXPECT_FALSE(is_forest(grid));
}
}  // namespace
}  // namespace credo::models::fields_test
