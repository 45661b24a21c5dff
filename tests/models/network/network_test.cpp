// Networks: readers and their refusals, sums against the product of the tables at every configuration, independence against separation.
#include "models/network/network.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "models/network/network_formats.hpp"
#include "models/network/network_graph.hpp"
#include "models/network/network_program.hpp"
#include "support/test_seed.hpp"

namespace credo::models::network_test {
namespace {
constexpr double kRounding = 1e-12;  // sums of some 10^3 terms of size 1 in different orders

Network read(const std::string& path, const std::string& text, const NetworkRules& rules = {}) {
  std::vector<std::string> notes;
  return read_network(path, text, rules, notes);
}

// Message, place and hint of the refusal; empty if there is none.
std::string refusal(const std::string& path, const std::string& text) {
  try {
    read(path, text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// Up to `most_parents` earlier nodes as parents of each, and random rows.
Network random_network(std::uint64_t seed, std::int32_t size, std::size_t most_parents) {
  Rng rng({.seed = testing::test_seed(seed), .purpose = purpose::kTest});
  Network network;
  for (std::int32_t v = 0; v < size; ++v) {
    NetworkNode node{.name = "n" + std::to_string(v), .states = {"a", "b"}};
    if (rng.uniform() < 0.4) node.states.emplace_back("c");
    for (std::int32_t p = v; p-- > 0;)
      if (node.parents.size() < most_parents && rng.uniform() < 0.45) node.parents.push_back(p);
    network.nodes.push_back(std::move(node));
    const auto size_of_table =
        static_cast<std::size_t>(network.num_rows(v) * network.node(v).num_states());
    for (std::size_t k = 0; k < size_of_table; ++k)
      network.nodes.back().table.push_back(0.05 + rng.uniform());
  }
  std::vector<std::string> notes;
  require_sound(network, {.normalise = true}, notes);
  return network;
}

// The product of the tables at a configuration, read from them directly.
double joint_at(const Network& network, std::span<const std::int32_t> states) {
  double product = 1.0;
  for (std::size_t v = 0; v < network.nodes.size(); ++v) {
    std::size_t place = 0;
    for (const std::int32_t p : network.nodes[v].parents)
      place = place * network.nodes[static_cast<std::size_t>(p)].states.size() +
              static_cast<std::size_t>(states[static_cast<std::size_t>(p)]);
    product *=
        network.nodes[v]
            .table[place * network.nodes[v].states.size() + static_cast<std::size_t>(states[v])];
  }
  return product;
}

template <class Visit>
void for_each_configuration(const Network& network, const Visit& visit) {
  std::vector<std::int32_t> states(network.nodes.size(), 0);
  for (;;) {
    visit(states);
    std::size_t v = states.size();
    for (; v > 0; --v) {
      if (++states[v - 1] < network.nodes[v - 1].num_states()) break;
      states[v - 1] = 0;
    }
    if (v == 0) return;
  }
}

// Sum of the joint probabilities of configurations with these states; -1: any.
double probability(const Network& network, const std::vector<std::int32_t>& known) {
  double sum = 0.0;
  for_each_configuration(network, [&](const std::vector<std::int32_t>& states) {
    for (std::size_t v = 0; v < known.size(); ++v)
      if (known[v] >= 0 && known[v] != states[v]) return;
    sum += joint_at(network, states);
  });
  return sum;
}
}  // namespace

// ---- readers

constexpr const char* kQuoted = R"(// a comment
network "two words" { property author me; }
variable "light on" { type discrete[2] { "is on", off }; property "a text; with a semicolon"; property position = (1, 2); }
/* another
   comment */
variable dog { type discrete [ 3 ] { in out away } ; }
probability("light on") { table 0.25 0.75 ; }
probability (dog | "light on") {
  default 0.2, 0.3, 0.5;
  ("is on") 0.1, 0.1, 8e-1;
}
)";

TEST(network_formats, bif_with_comments_quotes_defaults_and_properties) {
  const Network network = read("a.bif", kQuoted);
  ASSERT_EQ(network.size(), 2);
  EXPECT_EQ(network.name, "two words");
  EXPECT_EQ(network.nodes[0].states, (std::vector<std::string>{"is on", "off"}));
  EXPECT_EQ(network.nodes[0].table, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(network.nodes[1].parents, std::vector<std::int32_t>{0});
  EXPECT_EQ(network.nodes[1].table, (std::vector<double>{0.1, 0.1, 0.8, 0.2, 0.3, 0.5}));
}

// The format lists a table's own states slowest.
TEST(network_formats, a_bif_table_with_parents_has_its_states_slowest) {
  const std::string head =
      "variable a { type discrete [2] {x, y}; } variable b { type discrete [2] {x, y}; }"
      "probability (a) { table 0.5, 0.5; } probability (b | a) { table ";
  EXPECT_EQ(read("a.bif", head + "0.9, 0.2, 0.1, 0.8; }").nodes[1].table,
            (std::vector<double>{0.9, 0.1, 0.2, 0.8}));
  EXPECT_NE(refusal("a.bif", head + "0.9, 0.1, 0.2, 0.8; }").find("states fastest"),
            std::string::npos);
}

TEST(network_formats, hugin_json_and_bif_state_the_same_network) {
  const Network hugin = read("a.net", R"(% a comment
net { node_size = (80 40); name = "n"; }
node light { label = "The light; on"; states = ("on" "off"); position = (1 2); }
discrete node dog { states = ("in" "out" "away"); }
potential (light) { data = (0.25 0.75); }
potential (dog | light) { data = ((0.1 0.1 0.8) (0.2 0.3 0.5)); % rows
}
)");
  const Network json = read("a.json", R"({"nodes": [
    {"name": "light", "states": ["on", "off"], "table": [0.25, 0.75]},
    {"name": "dog", "states": ["in", "out", "away"], "parents": ["light"],
     "table": [[0.1, 0.1, 0.8], [0.2, 0.3, 0.5]]}]})");
  for (const Network& other : {hugin, json}) {
    ASSERT_EQ(other.size(), 2);
    EXPECT_EQ(other.nodes[1].table, (std::vector<double>{0.1, 0.1, 0.8, 0.2, 0.3, 0.5}));
    EXPECT_EQ(other.nodes[1].parents, std::vector<std::int32_t>{0});
  }
}

// Twelve numbers in each of these: their number alone doesn't say whose states are nested.
TEST(network_formats, nested_tables_have_the_states_of_parents_and_node) {
  const std::string head = R"({"nodes": [
    {"name": "a", "states": ["x", "y"], "table": [0.5, 0.5]},
    {"name": "b", "states": ["x", "y", "z"], "table": [0.2, 0.3, 0.5]},
    {"name": "c", "states": ["x", "y"], "parents": ["a", "b"], "table": )";
  const std::vector<double> all{.1, .9, .2, .8, .3, .7, .4, .6, .5, .5, .6, .4};
  const std::string right = "[[[.1, .9], [.2, .8], [.3, .7]], [[.4, .6], [.5, .5], [.6, .4]]]",
                    flat = "[.1, .9, .2, .8, .3, .7, .4, .6, .5, .5, .6, .4]";
  const auto text = [&](std::string table) {
    for (std::size_t at = 0; (at = table.find('.', at)) != table.npos; at += 2)
      table.insert(at, 1, '0');
    return head + table + "}]}";
  };
  for (const std::string& table : {right, flat})
    EXPECT_EQ(read("a.json", text(table)).nodes[2].table, all) << table;
  for (const std::string table :
       {"[[[.1, .9], [.2, .8]], [[.3, .7], [.4, .6]], [[.5, .5], [.6, .4]]]",  // b, then a
        "[[.1, .9], [.2, .8], [.3, .7], [.4, .6], [.5, .5], [.6, .4]]",
        "[[[.1, .9], [.2, .8], [.3, .7]], [[.4, .6], [.5, .5], .6, .4]]"})
    EXPECT_NE(refusal("a.json", text(table)).find("nesting differs"), std::string::npos) << table;
  const std::string factors = R"({"nodes": [{"name": "a", "states": ["x", "y"]},
    {"name": "b", "states": ["x", "y", "z"]}], "factors": [{"nodes": ["a", "b"], "values": )";
  EXPECT_EQ(refusal("a.json", factors + "[[1, 2, 3], [4, 5, 6]]}]}"), "");
  EXPECT_NE(refusal("a.json", factors + "[[1, 2], [3, 4], [5, 6]]}]}").find("nesting differs"),
            std::string::npos);
}

TEST(network_formats, a_written_network_is_read_again_with_the_same_bits) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Network network = random_network(seed, 8, 3);
    for (const char* path : {"a.bif", "a.json", "a.uai"}) {
      const Network again = read(path, network_text(network, path));
      ASSERT_EQ(again.size(), network.size());
      for (std::size_t v = 0; v < network.nodes.size(); ++v) {
        EXPECT_EQ(again.nodes[v].parents, network.nodes[v].parents) << path;
        ASSERT_EQ(again.nodes[v].table.size(), network.nodes[v].table.size());
        for (std::size_t k = 0; k < network.nodes[v].table.size(); ++k)
          EXPECT_EQ(again.nodes[v].table[k], network.nodes[v].table[k]) << path;
      }
    }
  }
}

TEST(network_formats, faults_are_refused_with_node_row_and_line) {
  const std::string two =
      "variable a { type discrete [2] {x, y}; }\nvariable b { type discrete [2] {x, y}; }\n";
  const std::string a = "probability (a) { table 0.5, 0.5; }\n";
  const auto has = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(refusal("a.bif", two + a + "probability (b | a) { (x) 0.5, 0.4; (y) 0.5, 0.5; }"),
      {"b given a = x", "sum to 0.9", "--normalise"});
  has(refusal("a.bif", two + a + "probability (b | a) { (x) 0.5, 0.5; }"),
      {"no row of b given a = y", "default", "a.bif:4"});
  has(refusal("a.bif", two + a + "probability (b | a) { (x) 0.5, 0.5; (x) 0.5, 0.5; }"),
      {"two rows of b given a = x"});
  has(refusal("a.bif", two + "probability (a | b) { default 0.5, 0.5; }\n"
                             "probability (b | a) { default 0.5, 0.5; }"),
      {"cycle", "b -> a -> b"});
  has(refusal("a.bif", two + a + "probability (b | c) { default 0.5, 0.5; }"),
      {"no node 'c'", "a.bif:4"});
  has(refusal("a.bif", two + a + "probability (b | a) { (z) 0.5, 0.5; }"), {"a has no state 'z'"});
  has(refusal("a.bif", two + a), {"b has no table"});
  has(refusal("a.bif", two + a + "probability (b) { table 0.5, 0.25, 0.25; }"),
      {"3 probabilities, must have 2"});
  has(refusal("a.bif", two + a + "probability (b) { table 1.5, -0.5; }"), {"entry -0.5"});
  has(refusal("a.bif", "variable a { type discrete [3] {x, y}; }"), {"names 2 states", "[ 3 ]"});
  has(refusal("a.bif", two + a + a), {"a has two tables", "a.bif:4"});
  has(refusal("a.bif", "variable a { type continuous; }"), {"a is continuous"});
  has(refusal("a.net", "continuous node a { }"), {"continuous"});
  has(refusal("a.json", R"({"nodes": [{"name": "a", "states": ["x"], "tabel": [1]}]})"),
      {"tabel", "table"});
}

TEST(network_formats, sums_of_printed_tables_are_divided_with_a_note) {
  std::vector<std::string> notes;
  const Network network = read_network(
      "a.bif",
      "variable a { type discrete [3] {x, y, z}; } probability (a) { table 0.3333333, 0.3333333, "
      "0.3333333; }",
      {}, notes);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("1 rows"), std::string::npos) << notes[0];
  EXPECT_DOUBLE_EQ(network.nodes[0].table[0], 1.0 / 3.0);
}

// ---- sums

TEST(network_sums, marginals_and_evidence_are_those_of_the_product_of_the_tables) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Network network = random_network(seed, 7, 3);
    std::vector<std::int32_t> known(7, -1);
    known[2] = 1, known[5] = 0;
    const numerics::FactorTables tables = numerics::given(factors_of(network), known);
    numerics::FactorProduct product(tables, numerics::plan_of(tables));
    const double evidence = probability(network, known);
    EXPECT_NEAR(product.log_sum(), std::log(evidence), kRounding);
    for (std::size_t v = 0; v < 7; ++v)
      for (std::int32_t k = 0; known[v] < 0 && k < network.nodes[v].num_states(); ++k) {
        std::vector<std::int32_t> with = known;
        with[v] = k;
        EXPECT_NEAR(product.marginals()[v][static_cast<std::size_t>(k)],
                    probability(network, with) / evidence, kRounding);
      }
  }
}

TEST(network_sums, nodes_that_are_no_ancestors_can_be_left_out) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Network network = random_network(seed, 8, 2);
    const std::vector<std::int32_t> asked{3, 4};
    const NetworkPart part = with_ancestors(network, asked);
    std::vector<std::int32_t> known(8, -1), own(part.places.size(), -1);
    known[3] = 0, known[4] = 1;
    for (std::size_t k = 0; k < part.places.size(); ++k)
      own[k] = known[static_cast<std::size_t>(part.places[k])];
    EXPECT_NEAR(probability(part.network, own), probability(network, known), kRounding);
    EXPECT_LE(part.network.size(), 5);
  }
}

// Thirty-seven nodes with up to three parents among the five before each: probabilities of given states by a pass over the joint distribution of
// five neighbours, which has no step in common with elimination.
TEST(network_sums, of_37_nodes_are_those_of_a_pass_over_five_neighbours) {
  constexpr std::int32_t kNodes = 37, kWindow = 5;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Rng rng({.seed = testing::test_seed(seed), .purpose = purpose::kTest});
    Network network;
    for (std::int32_t v = 0; v < kNodes; ++v) {
      NetworkNode node{.name = "n" + std::to_string(v), .states = {"0", "1", "2", "3"}};
      node.states.resize(2 + rng.index_below(3));
      for (std::int32_t p = std::max(0, v - kWindow); p < v; ++p)
        if (node.parents.size() < 3 && rng.uniform() < 0.5) node.parents.push_back(p);
      network.nodes.push_back(std::move(node));
      const auto size = network.num_rows(v) * network.node(v).num_states();
      for (std::int64_t k = 0; k < size; ++k)
        network.nodes.back().table.push_back(0.05 + rng.uniform());
    }
    std::vector<std::string> notes;
    require_sound(network, {.normalise = true}, notes);
    const auto evidence_of = [&](const std::vector<std::int32_t>& known) {
      std::map<std::vector<std::int32_t>, double> window{{{}, 1.0}};  // states of the last nodes
      for (std::int32_t v = 0; v < kNodes; ++v) {
        std::map<std::vector<std::int32_t>, double> next;
        const std::int32_t first = std::max(0, v - kWindow);
        for (const auto& [states, weight] : window)
          for (std::int32_t k = 0; k < network.node(v).num_states(); ++k) {
            if (known[static_cast<std::size_t>(v)] >= 0 && known[static_cast<std::size_t>(v)] != k)
              continue;
            std::size_t row = 0;
            for (const std::int32_t p : network.node(v).parents)
              row = row * network.node(p).states.size() +
                    static_cast<std::size_t>(states[static_cast<std::size_t>(p - first)]);
            std::vector<std::int32_t> after = states;
            after.push_back(k);
            if (after.size() > kWindow) after.erase(after.begin());
            next[after] += weight * network.node(v).table[row * network.node(v).states.size() +
                                                          static_cast<std::size_t>(k)];
          }
        window = std::move(next);
      }
      double sum = 0.0;
      for (const auto& [states, weight] : window) sum += weight;
      return sum;
    };
    std::vector<std::int32_t> known(kNodes, -1);
    known[9] = 0, known[20] = 1, known[36] = 0;
    const numerics::FactorTables tables = numerics::given(factors_of(network), known);
    numerics::FactorProduct product(tables, numerics::plan_of(tables));
    const double evidence = evidence_of(known);
    EXPECT_NEAR(product.log_sum(), std::log(evidence), kRounding);
    for (const std::int32_t v : {0, 10, 30}) {
      std::vector<std::int32_t> with = known;
      with[static_cast<std::size_t>(v)] = 1;
      EXPECT_NEAR(product.marginals()[static_cast<std::size_t>(v)][1], evidence_of(with) / evidence,
                  kRounding);
    }
  }
}

// Log Z and correlations of the 3 × 3 Ising model with coupling 0.3, which are printed with seven digits for the sum over 512 states.
TEST(network_sums, an_undirected_lattice_has_its_partition_sum) {
  std::string text = "MARKOV\n9\n2 2 2 2 2 2 2 2 2\n12\n", tables;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      for (const auto& [dr, dc] : {std::pair(0, 1), std::pair(1, 0)})
        if (r + dr < 3 && c + dc < 3) {
          text +=
              "2 " + std::to_string(3 * r + c) + " " + std::to_string(3 * (r + dr) + c + dc) + "\n";
          tables +=
              "4 1.3498588075760032 0.7408182206817179 0.7408182206817179 1.3498588075760032\n";
        }
  const Network lattice = read("ising.uai", text + tables);
  const numerics::FactorTables factors = factors_of(lattice);
  numerics::FactorProduct product(factors, numerics::plan_of(factors));
  EXPECT_NEAR(product.log_sum(), 6.80154, 5e-6);
  const std::vector<double> pair = product.joint({0, 1});
  EXPECT_NEAR(pair[0] - pair[1] - pair[2] + pair[3], 0.31775, 5e-6);
  EXPECT_EQ(moral_edges(lattice).size(), 12u);
  EXPECT_TRUE(is_separated(lattice, {.a = {0}, .b = {8}, .given = {2, 4, 6}}));
  EXPECT_FALSE(is_separated(lattice, {.a = {0}, .b = {8}, .given = {2, 4}}));
}

// ---- independence

namespace {
// The largest |P(a, b | c) - P(a | c) P(b | c)| over all states.
double dependence(const Network& network, std::int32_t a, std::int32_t b,
                  const std::vector<std::int32_t>& given) {
  std::map<std::vector<std::int32_t>, std::map<std::pair<std::int32_t, std::int32_t>, double>>
      joint;
  for_each_configuration(network, [&](const std::vector<std::int32_t>& states) {
    std::vector<std::int32_t> condition;
    for (const std::int32_t v : given) condition.push_back(states[static_cast<std::size_t>(v)]);
    joint[condition][{states[static_cast<std::size_t>(a)], states[static_cast<std::size_t>(b)]}] +=
        joint_at(network, states);
  });
  double largest = 0.0;
  for (const auto& [condition, table] : joint) {
    double all = 0.0;
    std::map<std::int32_t, double> first, second;
    for (const auto& [pair, p] : table) all += p, first[pair.first] += p, second[pair.second] += p;
    for (const auto& [pair, p] : table)
      largest = std::max(largest,
                         std::abs(p / all - first[pair.first] * second[pair.second] / (all * all)));
  }
  return largest;
}

// A wrong criterion: blocked in the undirected form of the whole network.
bool is_blocked_in_undirected_form(const Network& network, const SeparationQuestion& question) {
  Network undirected;
  undirected.is_directed = false;
  undirected.nodes = network.nodes;
  for (NetworkNode& node : undirected.nodes) node.parents.clear();
  for (const auto& [a, b] : moral_edges(network)) undirected.factors.push_back({{a, b}, {}});
  return is_separated(undirected, question);
}
}  // namespace

// Random tables have no independence but that of the graph, so separation and independence are the same, in both directions.
TEST(network_graph, separated_nodes_are_those_that_are_independent_in_the_joint_distribution) {
  int separated = 0, differs = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Network network = random_network(seed, 6, 2);
    Rng rng({.seed = testing::test_seed(seed + 1000), .purpose = purpose::kTest});
    for (int trial = 0; trial < 6; ++trial) {
      const auto a = static_cast<std::int32_t>(rng.index_below(6));
      auto b = static_cast<std::int32_t>(rng.index_below(5));
      b += b >= a ? 1 : 0;
      std::vector<std::int32_t> given;
      for (std::int32_t v = 0; v < 6; ++v)
        if (v != a && v != b && rng.uniform() < 0.35) given.push_back(v);
      const SeparationQuestion question{.a = {a}, .b = {b}, .given = given};
      const bool is_independent = dependence(network, a, b, given) < kRounding;
      EXPECT_EQ(is_separated(network, question), is_independent) << "seed " << seed;
      separated += is_independent ? 1 : 0;
      differs += is_blocked_in_undirected_form(network, question) != is_independent ? 1 : 0;
    }
  }
  EXPECT_GT(separated, 20);  // both answers occur
  EXPECT_GT(differs, 0);     // the wrong criterion is found
}

// Five nodes, P(A) P(B | A) P(C | A) P(D | A, C) P(E): given D, the others have the product divided by P(D), and E is independent of all.
TEST(network_graph, of_five_nodes_given_one_is_the_product_over_its_probability) {
  Network network = random_network(3, 5, 0);
  network.nodes[1].parents = {0}, network.nodes[2].parents = {0}, network.nodes[3].parents = {0, 2};
  Rng rng({.seed = testing::test_seed(1), .purpose = purpose::kTest});
  for (std::int32_t v = 0; v < 5; ++v) {
    network.nodes[static_cast<std::size_t>(v)].table.clear();
    for (std::int64_t k = 0; k < network.num_rows(v) * network.node(v).num_states(); ++k)
      network.nodes[static_cast<std::size_t>(v)].table.push_back(0.1 + rng.uniform());
  }
  std::vector<std::string> notes;
  require_sound(network, {.normalise = true}, notes);
  const std::vector<std::int32_t> known{-1, -1, -1, 1, -1};
  const numerics::FactorTables given = numerics::given(factors_of(network), known);
  const std::vector<numerics::Scope> together{{0, 1, 2, 4}};
  const numerics::FactorTables tables = numerics::joined(given, together);
  numerics::FactorProduct product(tables, numerics::plan_of(tables));
  const std::vector<double> joint = product.joint({0, 1, 2, 4});
  std::size_t k = 0;
  for_each_configuration(network, [&](const std::vector<std::int32_t>& states) {
    if (states[3] != 1) return;
    EXPECT_NEAR(joint[k++], joint_at(network, states) / probability(network, known), kRounding);
  });
  EXPECT_EQ(k, joint.size());
  for (const std::int32_t other : {0, 1, 2, 3})
    EXPECT_TRUE(is_separated(network, {.a = {4}, .b = {other}, .given = {}}));
  EXPECT_FALSE(is_separated(network, {.a = {1}, .b = {3}, .given = {}}));
  EXPECT_TRUE(is_separated(network, {.a = {1}, .b = {3}, .given = {0}}));
}

TEST(network_graph, parents_come_before_children_and_cliques_hold_all_families) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Network network = random_network(seed, 12, 3);
    const std::vector<std::int32_t> order = sampling_order(network);
    std::vector<char> is_done(12, 0);
    const auto cliques = cliques_of(numerics::plan_of(factors_of(network)));
    for (const std::int32_t v : order) {
      for (const std::int32_t p : network.node(v).parents)
        EXPECT_EQ(is_done[static_cast<std::size_t>(p)], 1);
      is_done[static_cast<std::size_t>(v)] = 1;
      numerics::Scope family = network.node(v).parents;
      family.push_back(v);
      std::ranges::sort(family);
      EXPECT_TRUE(std::ranges::any_of(
          cliques, [&](const auto& clique) { return std::ranges::includes(clique, family); }));
    }
    EXPECT_EQ(order.size(), 12u);
  }
}

// ---- draws

namespace {
// Largest difference of frequencies from marginals, in standard errors of independent draws.
double draw_error(const Network& network, const Network& drawn_from, Index num_draws) {
  std::vector<std::vector<double>> counts;
  for (const NetworkNode& node : network.nodes) counts.emplace_back(node.states.size(), 0.0);
  const std::vector<std::int32_t> order = sampling_order(drawn_from);
  Rng rng({.seed = testing::test_seed(5), .purpose = purpose::kTest});
  for (Index s = 0; s < num_draws; ++s) {
    const std::vector<std::int32_t> states = draw_forward(drawn_from, order, rng);
    for (std::size_t v = 0; v < states.size(); ++v)
      counts[v][static_cast<std::size_t>(states[v])] += 1.0;
  }
  const auto n = static_cast<double>(num_draws);
  double largest = 0.0;
  for (std::size_t v = 0; v < counts.size(); ++v)
    for (std::size_t k = 0; k < counts[v].size(); ++k) {
      std::vector<std::int32_t> known(network.nodes.size(), -1);
      known[v] = static_cast<std::int32_t>(k);
      const double p = probability(network, known);
      largest = std::max(largest, std::abs(counts[v][k] / n - p) / std::sqrt(p * (1.0 - p) / n));
    }
  return largest;
}
}  // namespace

// Some 20 frequencies, each within 4.5 standard errors (7e-6 each). The mutant's table of one node has its rows in another order.
TEST(network_draws, forward_have_the_marginals_and_a_turned_table_is_found) {
  const Network network = random_network(11, 8, 2);
  EXPECT_LT(draw_error(network, network, 40'000), 4.5);
  Network turned = network;
  for (NetworkNode& node : turned.nodes)
    if (!node.parents.empty()) {
      std::ranges::reverse(node.table);
      break;
    }
  EXPECT_GT(draw_error(network, turned, 40'000), 4.5);
}

}  // namespace credo::models::network_test
