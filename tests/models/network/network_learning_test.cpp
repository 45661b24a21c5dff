// Tables from rows: closed forms, the chain rule of predictive probabilities, equivalent structures, and expected counts by enumeration.
#include "models/network/network_learning.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "models/network/network_program.hpp"
#include "support/test_seed.hpp"

namespace credo::models::network_learning_test {
namespace {

// x -> y, x -> z, with 2, 3 and 2 states.
Network fork() {
  Network network;
  network.nodes.push_back({.name = "x", .states = {"0", "1"}, .table = {0.3, 0.7}});
  network.nodes.push_back(
      {.name = "y", .states = {"0", "1", "2"}, .parents = {0}, .table = {.2, .3, .5, .6, .3, .1}});
  network.nodes.push_back(
      {.name = "z", .states = {"0", "1"}, .parents = {0}, .table = {.9, .1, .25, .75}});
  return network;
}

NetworkRows drawn_rows(const Network& network, Index count) {
  Rng rng({.seed = testing::test_seed(2), .purpose = purpose::kTest});
  const std::vector<std::int32_t> order = sampling_order(network);
  NetworkRows rows;
  for (Index n = 0; n < count; ++n) rows.push_back(draw_forward(network, order, rng));
  return rows;
}

double table_at(const Network& network, std::int32_t v, const std::vector<std::int32_t>& states) {
  std::size_t row = 0;
  for (const std::int32_t p : network.node(v).parents)
    row = row * network.node(p).states.size() +
          static_cast<std::size_t>(states[static_cast<std::size_t>(p)]);
  return network.node(v).table[row * network.node(v).states.size() +
                               static_cast<std::size_t>(states[static_cast<std::size_t>(v)])];
}

double joint_of(const Network& network, const std::vector<std::int32_t>& states) {
  double product = 1.0;
  for (std::int32_t v = 0; v < network.size(); ++v) product *= table_at(network, v, states);
  return product;
}
}  // namespace

TEST(network_learning, tables_are_counts_plus_those_of_the_prior) {
  const NetworkRows rows{{0, 2, 0}, {0, 2, 1}, {0, 1, 0}, {1, 0, 1}};
  const Learned learned = learn_tables(fork(), rows, {.counts = 1.0});
  EXPECT_EQ(learned.network.nodes[0].table, (std::vector<double>{4.0 / 6, 2.0 / 6}));
  const std::vector<double> y{1.0 / 6, 2.0 / 6, 3.0 / 6, 2.0 / 4, 1.0 / 4, 1.0 / 4};
  for (std::size_t k = 0; k < y.size(); ++k)
    EXPECT_DOUBLE_EQ(learned.network.nodes[1].table[k], y[k]);
}

// p(rows) = Π p(row n | rows before): each factor is the table learned from the rows before, at the row.
TEST(network_learning, evidence_is_the_product_of_predictive_probabilities) {
  const NetworkRows rows = drawn_rows(fork(), 60);
  for (const TablePrior prior : {TablePrior::uniform, TablePrior::bdeu}) {
    const LearningOptions options{.prior = prior, .counts = 1.7};
    double sum = 0.0;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const NetworkRows before(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n));
      sum += std::log(joint_of(learn_tables(fork(), before, options).network, rows[n]));
    }
    EXPECT_NEAR(learn_tables(fork(), rows, options).log_evidence, sum, 1e-10);  // 180 logarithms
  }
}

// x -> y and y -> x state the same distributions; bdeu scores them equally, the uniform prior doesn't.
TEST(network_learning, bdeu_scores_equivalent_structures_equally) {
  Network turned = fork();
  turned.nodes[0].parents = {1}, turned.nodes[0].table.clear();
  turned.nodes[1].parents = {}, turned.nodes[1].table.clear();
  const NetworkRows rows = drawn_rows(fork(), 200);
  const auto score = [&](const Network& network, TablePrior prior) {
    return learn_tables(network, rows, {.prior = prior, .counts = 3.0}).log_evidence;
  };
  EXPECT_NEAR(score(fork(), TablePrior::bdeu), score(turned, TablePrior::bdeu), 1e-10);
  EXPECT_GT(std::abs(score(fork(), TablePrior::uniform) - score(turned, TablePrior::uniform)),
            1e-3);
}

// At convergence the tables are those of the expected counts, which are summed here over all completions of each row.
TEST(network_learning, missing_cells_are_completed_by_expected_counts) {
  NetworkRows rows = drawn_rows(fork(), 120);
  Rng rng({.seed = testing::test_seed(4), .purpose = purpose::kTest});
  for (auto& row : rows)
    for (std::int32_t& state : row)
      if (rng.uniform() < 0.3) state = -1;
  const Learned learned = learn_tables(fork(), rows, {.counts = 1.0});
  EXPECT_GT(learned.num_incomplete, 40);
  EXPECT_TRUE(std::isnan(learned.log_evidence));
  std::vector<double> counts(6, 1.0);  // of y, with the prior
  for (const auto& row : rows) {
    std::vector<std::pair<std::vector<std::int32_t>, double>> all;
    double total = 0.0;
    for (std::int32_t x = 0; x < 2; ++x)
      for (std::int32_t y = 0; y < 3; ++y)
        for (std::int32_t z = 0; z < 2; ++z) {
          const std::vector<std::int32_t> states{x, y, z};
          bool agrees = true;
          for (std::size_t v = 0; v < 3; ++v) agrees &= row[v] < 0 || row[v] == states[v];
          if (agrees) all.emplace_back(states, joint_of(learned.network, states));
          if (agrees) total += all.back().second;
        }
    for (const auto& [states, p] : all)
      counts[static_cast<std::size_t>(3 * states[0] + states[1])] += p / total;
  }
  for (std::size_t j = 0; j < 2; ++j) {
    const double sum = counts[3 * j] + counts[3 * j + 1] + counts[3 * j + 2];
    for (std::size_t k = 0; k < 3; ++k)  // the last round changed tables by less than 1e-8
      EXPECT_NEAR(learned.network.nodes[1].table[3 * j + k], counts[3 * j + k] / sum, 1e-7);
  }
}

// Nothing tells the states of a node without values from each other.
TEST(network_learning, nodes_without_any_value_are_refused) {
  const NetworkRows rows{{-1, 2, 0}, {-1, 1, 1}, {-1, 0, 1}};
  try {
    learn_tables(fork(), rows, {.counts = 1.0});
    ADD_FAILURE() << "no refusal";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("x has no value in any row"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(learn_tables(fork(), {{-1, 2, 0}, {1, 1, 1}}, {.counts = 1.0}));
}

// A table's row has data if a complete row has its states, or if a row with missing cells may have them.
TEST(network_learning, rows_of_tables_that_expected_counts_reach_are_seen) {
  const auto unseen = [](const NetworkRows& rows) {
    return learn_tables(fork(), rows, {.counts = 1.0}).nodes[1].num_unseen;
  };
  EXPECT_EQ(unseen({{0, 0, 0}, {0, 1, 1}}), 1);
  EXPECT_EQ(unseen({{0, 0, 0}, {0, -1, 1}}), 1);
  EXPECT_EQ(unseen({{0, 0, 0}, {1, -1, 1}}), 0);
  EXPECT_EQ(unseen({{0, 0, 0}, {-1, 1, 1}}), 0);
}

TEST(network_learning, a_fit_that_is_broken_off_says_so) {
  const NetworkRows rows{{0, 2, 0}, {-1, 2, 1}, {1, -1, 1}, {1, 0, -1}};
  EXPECT_TRUE(learn_tables(fork(), rows, {.counts = 1.0}).has_converged);
  const Learned cut = learn_tables(fork(), rows, {.counts = 1.0, .most_rounds = 1});
  EXPECT_FALSE(cut.has_converged);
  EXPECT_EQ(cut.num_rounds, 1);
  EXPECT_GE(cut.last_change, 1e-8);
}

// Each mean has a standard error of at most 0.5 / sqrt(n of its row); 5 of these, and a network with turned rows is found.
TEST(network_learning, tables_of_many_rows_are_those_they_were_drawn_from) {
  const Network truth = fork();
  const Learned learned = learn_tables(truth, drawn_rows(truth, 20'000), {.counts = 1.0});
  Network turned = truth;
  std::ranges::reverse(turned.nodes[1].table);
  double largest = 0.0, of_turned = 0.0;
  for (std::size_t k = 0; k < 6; ++k) {
    largest =
        std::max(largest, std::abs(learned.network.nodes[1].table[k] - truth.nodes[1].table[k]));
    of_turned =
        std::max(of_turned, std::abs(learned.network.nodes[1].table[k] - turned.nodes[1].table[k]));
  }
  const double error = 0.5 / std::sqrt(0.3 * 20'000);
  EXPECT_LT(largest, 5.0 * error);
  EXPECT_GT(of_turned, 5.0 * error);
}

}  // namespace credo::models::network_learning_test
