// The format of the UAI competitions: BAYES or MARKOV, the number of nodes, their numbers of states, the number of factors, a line of nodes
// for each, and then for each the number of its values and these, the last node fastest. In a BAYES file the last node of a factor is the
// child. Nodes are called x0, x1, ..., states 0, 1, ....
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/network/network_formats.hpp"

namespace credo::models {
namespace {
constexpr NetworkLexis kUai{.punctuation = "", .skipped = "", .line_comment = "#"};

class UaiReader {
 public:
  UaiReader(std::string_view text, const std::string& source) : words_(text, source, kUai) {}

  Network read() {
    const std::string kind = words_.take_name("BAYES or MARKOV");
    if (kind != "BAYES" && kind != "MARKOV")
      words_.refuse(fmt::format("the first word is '{}', must be BAYES or MARKOV", kind));
    network_.is_directed = kind == "BAYES";
    const Index num_nodes = count("the number of nodes", kMostNodes);
    for (Index v = 0; v < num_nodes; ++v) add_node(v);
    std::vector<std::vector<std::int32_t>> scopes(
        static_cast<std::size_t>(count("the number of factors", kMostNodes)));
    for (auto& scope : scopes) {
      scope.resize(static_cast<std::size_t>(count("the number of a factor's nodes", num_nodes)));
      for (std::int32_t& v : scope)
        v = static_cast<std::int32_t>(count("the number of a node", num_nodes - 1));
    }
    for (auto& scope : scopes) add_factor(std::move(scope));
    if (!words_.is_at_end())
      words_.refuse(fmt::format("'{}' stands behind the last factor", words_.peek().text));
    return std::move(network_);
  }

 private:
  static constexpr Index kMostNodes = 10'000'000, kMostValues = Index{1} << 31;

  Index count(const std::string& what, Index most) {
    const double number = words_.take_number(what);
    if (number >= 0.0 && number <= static_cast<double>(most) && number == std::floor(number))
      return static_cast<Index>(number);
    words_.refuse(fmt::format("{} is {}, must be a whole number from 0 to {}", what, number, most));
  }
  void add_node(Index v) {
    NetworkNode node{.name = fmt::format("x{}", v), .states = {}};
    const Index states = count("a number of states", 1'000'000);
    for (Index k = 0; k < states; ++k) node.states.push_back(fmt::format("{}", k));
    network_.nodes.push_back(std::move(node));
  }
  void add_factor(std::vector<std::int32_t> scope) {
    std::vector<double> values;
    const Index size = count("the number of values", kMostValues);
    for (Index k = 0; k < size; ++k) values.push_back(words_.take_number("a value"));
    if (!network_.is_directed) {
      network_.factors.push_back({std::move(scope), std::move(values)});
      return;
    }
    if (scope.empty()) words_.refuse("a table of a BAYES file has no node");
    NetworkNode& node = network_.nodes[static_cast<std::size_t>(scope.back())];
    if (!node.table.empty()) words_.refuse(fmt::format("{} has two tables", node.name));
    scope.pop_back();
    node.parents = std::move(scope);
    node.table = std::move(values);
  }

  Network network_;
  NetworkWords words_;
};

Network read_uai(std::string_view text, const std::string& source, std::vector<std::string>&) {
  return UaiReader(text, source).read();
}

std::string write_uai(const Network& network) {
  std::vector<NetworkFactor> factors = network.factors;
  for (std::int32_t v = 0; network.is_directed && v < network.size(); ++v) {
    factors.push_back({network.node(v).parents, network.node(v).table});
    factors.back().nodes.push_back(v);
  }
  std::string text =
      fmt::format("{}\n{}\n", network.is_directed ? "BAYES" : "MARKOV", network.size());
  for (std::int32_t v = 0; v < network.size(); ++v)
    text += fmt::format("{}{}", v == 0 ? "" : " ", network.node(v).num_states());
  text += fmt::format("\n{}\n", factors.size());
  for (const NetworkFactor& factor : factors)
    text += fmt::format("{} {}\n", factor.nodes.size(), fmt::join(factor.nodes, " "));
  for (const NetworkFactor& factor : factors)
    text += fmt::format("\n{}\n{}\n", factor.values.size(), fmt::join(factor.values, " "));
  return text;
}
}  // namespace

extern const NetworkFormat uai_format{.ending = ".uai",
                                      .summary = "numbers of the UAI competitions",
                                      .read = read_uai,
                                      .write = write_uai};

}  // namespace credo::models
