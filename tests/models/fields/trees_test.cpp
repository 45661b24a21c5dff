// Grammars against enumeration of all trees, and parts with springs against all placements.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "models/fields/grammar.hpp"
#include "models/fields/parts.hpp"
#include "random_field.hpp"

namespace credo::models::trees_test {
namespace {
constexpr double kExact = 1e-10;  // sums of up to a few thousand terms in double

struct Tree {
  double score = 0.0;
  std::vector<Index> labels, rules;  // by row; how often each rule is used
};

// All trees of a symbol over rows i to j, one after the other.
std::vector<Tree> trees_of(const Grammar& grammar, const FieldScores& scores, Index i, Index j,
                           Index symbol) {
  std::vector<Tree> all;
  const Index width = ssize(grammar.labels);
  if (i == j) {
    if (symbol >= width) return all;
    all.push_back({.score = scores.nodes[static_cast<std::size_t>(i * width + symbol)],
                   .labels = {symbol},
                   .rules = std::vector<Index>(grammar.rules.size(), 0)});
    return all;
  }
  for (std::size_t r = 0; r < grammar.rules.size(); ++r) {
    const GrammarRule& rule = grammar.rules[r];
    if (rule.left != symbol) continue;
    for (Index k = i; k < j; ++k)
      for (const Tree& left : trees_of(grammar, scores, i, k, rule.first))
        for (const Tree& right : trees_of(grammar, scores, k + 1, j, rule.second)) {
          Tree made = left;
          made.score += right.score + scores.pairs[0].scores[r];
          made.labels.insert(made.labels.end(), right.labels.begin(), right.labels.end());
          for (std::size_t q = 0; q < made.rules.size(); ++q) made.rules[q] += right.rules[q];
          ++made.rules[r];
          all.push_back(std::move(made));
        }
  }
  return all;
}

const char* const kRules =
    "S -> NP VP 0.9   # the first rule's left side is the start\n"
    "S -> S S 0.1\nNP -> D N 0.6\nNP -> NP PP 0.4\nVP -> V NP 0.5\nVP -> VP PP 0.5\nPP -> P NP 1\n"
    "S -> N VP 0.2\nVP -> V N 0.3\n";

struct Random {
  FieldGraph graph;
  std::vector<double> nodes;
  PairTable rules;
  FieldScores scores() const { return {.nodes = nodes, .pairs = std::span(&rules, 1)}; }
};

Random random_sentence(const Grammar& grammar, Index length, Rng& rng) {
  Random made;
  for (Index i = 0; i < length; ++i) made.graph.add_node(ssize(grammar.labels));
  for (Index k = 0; k < made.graph.num_scores(); ++k) made.nodes.push_back(rng.normal());
  made.rules = {.rows = 1, .cols = ssize(grammar.rules)};
  for (const GrammarRule& rule : grammar.rules)
    made.rules.scores.push_back(rule.log_weight + 0.5 * rng.normal());
  return made;
}

TEST(grammar, has_the_sums_best_trees_and_expected_rules_of_enumeration) {
  const auto grammar = std::make_shared<const Grammar>(parse_grammar(kRules, "rules.txt"));
  EXPECT_EQ(grammar->labels, (std::vector<std::string>{"D", "N", "V", "P"}));
  const auto engine = grammar_engine(grammar);
  Rng rng({.seed = 5, .purpose = purpose::kTest});
  for (int k = 0; k < 60; ++k) {
    const Random field = random_sentence(*grammar, 3 + k % 5, rng);
    const std::vector<Tree> trees =
        trees_of(*grammar, field.scores(), 0, field.graph.num_nodes() - 1, grammar->start);
    ASSERT_FALSE(trees.empty());
    double largest = -kInfinity, z = 0.0;
    for (const Tree& tree : trees)
      z += std::exp(tree.score), largest = std::max(largest, tree.score);
    std::vector<double> nodes(field.nodes.size(), 0.0), rules(grammar->rules.size(), 0.0);
    for (const Tree& tree : trees) {
      const double p = std::exp(tree.score) / z;
      for (std::size_t i = 0; i < tree.labels.size(); ++i)
        nodes[i * grammar->labels.size() + static_cast<std::size_t>(tree.labels[i])] += p;
      for (std::size_t r = 0; r < rules.size(); ++r)
        rules[r] += p * static_cast<double>(tree.rules[r]);
    }
    const FieldMoments made = engine->moments(field.graph, field.scores());
    EXPECT_NEAR(made.log_z, std::log(z), kExact);
    for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_NEAR(made.nodes[i], nodes[i], kExact);
    for (std::size_t r = 0; r < rules.size(); ++r) EXPECT_NEAR(made.pairs[0][r], rules[r], kExact);
    // log p(labels) sums over the trees with these labels.
    const std::vector<Index>& labels = trees[trees.size() / 2].labels;
    double with_labels = 0.0;
    for (const Tree& tree : trees)
      if (tree.labels == labels) with_labels += std::exp(tree.score);
    EXPECT_NEAR(engine->log_probability(field.graph, field.scores(), labels, nullptr),
                std::log(with_labels / z), kExact);
    const std::vector<Index> best = engine->best(field.graph, field.scores());
    const auto top =
        std::ranges::find_if(trees, [&](const Tree& tree) { return tree.score == largest; });
    EXPECT_EQ(best, top->labels);
  }
}

// Two mutants: a rule whose parts are exchanged, and a rule that is left out, change the sum.
TEST(grammar, with_a_wrong_rule_has_another_sum) {
  const auto right = std::make_shared<const Grammar>(parse_grammar(kRules, "rules.txt"));
  Rng rng({.seed = 6, .purpose = purpose::kTest});
  const Random field = random_sentence(*right, 6, rng);
  const double z = grammar_engine(right)->moments(field.graph, field.scores()).log_z;
  Grammar turned = *right;
  std::swap(turned.rules[2].first, turned.rules[2].second);
  EXPECT_GT(std::abs(grammar_engine(std::make_shared<const Grammar>(turned))
                         ->moments(field.graph, field.scores())
                         .log_z -
                     z),
            1e-6);
  Random without = field;
  without.rules.scores[5] = -kInfinity;
  EXPECT_LT(grammar_engine(right)->moments(field.graph, without.scores()).log_z, z - 1e-6);
}

// A grammar whose rules of a symbol have probabilities that sum to 1, with words: strings of a length have probabilities at most 1.
TEST(grammar, of_probabilities_gives_the_probability_of_a_string) {
  // S -> A A 1/2 | A S 1/2; A is 'a' with probability 0.3, else 'b': p(length n) = 2^-(n-1).
  const auto grammar =
      std::make_shared<const Grammar>(parse_grammar("S -> A A 0.5\nS -> A S 0.5\n", "r"));
  Random field;
  for (int i = 0; i < 4; ++i)
    field.graph.add_node(1), field.nodes.push_back(std::log(i % 2 == 0 ? 0.3 : 0.7));
  field.rules = {.rows = 1, .cols = 2, .scores = {std::log(0.5), std::log(0.5)}};
  EXPECT_NEAR(grammar_engine(grammar)->moments(field.graph, field.scores()).log_z,
              std::log(0.3 * 0.7 * 0.3 * 0.7 / 8.0), 1e-12);
  EXPECT_EQ(grammar_engine(grammar)->words_of_best(field.graph, field.scores()),
            "(S A (S A (S A A)))");
}

TEST(grammar, of_log_probabilities_has_slopes_that_equal_differences) {
  const auto grammar = std::make_shared<const Grammar>(parse_grammar(kRules, "rules.txt"));
  const auto engine = grammar_engine(grammar);
  Rng rng({.seed = 7, .purpose = purpose::kTest});
  Random field = random_sentence(*grammar, 5, rng);
  const std::vector<Index> labels =
      trees_of(*grammar, field.scores(), 0, 4, grammar->start)[0].labels;
  FieldMoments slope;
  engine->log_probability(field.graph, field.scores(), labels, &slope);
  const auto difference = [&](double& x) {
    constexpr double kStep = 1e-5;
    const double before = x;
    x = before + kStep;
    const double up = engine->log_probability(field.graph, field.scores(), labels, nullptr);
    x = before - kStep;
    const double down = engine->log_probability(field.graph, field.scores(), labels, nullptr);
    x = before;
    return (up - down) / (2.0 * kStep);
  };
  for (std::size_t i = 0; i < field.nodes.size(); ++i)
    EXPECT_NEAR(slope.nodes[i], difference(field.nodes[i]), 1e-8);
  for (std::size_t r = 0; r < field.rules.scores.size(); ++r)
    EXPECT_NEAR(slope.pairs[0][r], difference(field.rules.scores[r]), 1e-8);
}

TEST(grammar, of_texts_that_are_no_rules_is_refused_with_the_line) {
  const auto message_of = [](const std::string& text) {
    try {
      parse_grammar(text, "r.txt");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message_of("S -> A B\n\nS A B\n").find("r.txt:3"), std::string::npos);
  EXPECT_NE(message_of("S -> A B -1\n").find("is no rule"), std::string::npos);
  EXPECT_NE(message_of("# nothing\n").find("no rule"), std::string::npos);
}

TEST(parts, have_the_best_places_of_all_placements) {
  Rng rng({.seed = 9, .purpose = purpose::kTest});
  for (int k = 0; k < 100; ++k) {
    std::vector<double> places{rng.normal()};
    for (int i = 0; i < 4; ++i) places.push_back(places.back() + 0.2 + rng.uniform());
    const double spring = 0.1 + rng.uniform();
    FieldGraph graph;
    std::vector<double> nodes;
    PairTable pairs{.rows = 5, .cols = 5};
    for (const double a : places)
      for (const double b : places) pairs.scores.push_back(-spring * (a - b) * (a - b));
    pairs.prepare();
    for (Index i = 0; i < 5; ++i) {
      graph.add_node(5);
      for (int a = 0; a < 5; ++a)
        nodes.push_back(k % 4 == 3 && a > 0 && rng.uniform() < 0.3 ? -kInfinity
                                                                   : 2.0 * rng.normal());
      if (i > 0) graph.edges.push_back({.from = rng.index_below(i), .to = i});
    }
    const FieldScores scores{.nodes = nodes, .pairs = std::span(&pairs, 1)};
    const auto engine = parts_engine(places, spring);
    const testing::Enumerated right = testing::enumerate(graph, scores);
    EXPECT_NEAR(score_of(graph, scores, engine->best(graph, scores)),
                static_cast<double>(right.largest), kExact);
    EXPECT_NEAR(engine->moments(graph, scores).log_z, static_cast<double>(right.log_z), kExact);
  }
}

TEST(parts, have_the_maximum_over_all_places_at_each_place) {
  Rng rng({.seed = 10, .purpose = purpose::kTest});
  for (int k = 0; k < 50; ++k) {
    std::vector<double> places{0.0}, values{rng.normal()};
    for (int i = 0; i < 40; ++i) {
      places.push_back(places.back() + 0.1 + rng.uniform());
      values.push_back(5.0 * rng.normal());
    }
    const double spring = k % 2 == 0 ? 0.01 : 3.0;
    const SpringMaximum made = spring_maximum(values, places, spring);
    for (std::size_t q = 0; q < places.size(); ++q) {
      double largest = -kInfinity;
      for (std::size_t p = 0; p < places.size(); ++p)
        largest = std::max(largest,
                           values[p] - spring * (places[p] - places[q]) * (places[p] - places[q]));
      EXPECT_NEAR(made.values[q], largest, kExact);
    }
  }
}
}  // namespace
}  // namespace credo::models::trees_test
