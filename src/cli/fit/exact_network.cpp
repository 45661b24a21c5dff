#include "cli/fit/exact_network.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/fit/exact_report.hpp"
#include "cli/project/program_words.hpp"
#include "models/network/network_program.hpp"

namespace credo::cli {
namespace {
using models::Network;

std::string trimmed_word(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

std::vector<std::string> words_between_commas(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(trimmed_word(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return words;
}

// Nodes whose ancestors matter: all of them without a query.
std::vector<std::int32_t> nodes_that_count(const Network& network, const NetworkQuestion& question,
                                           std::span<const std::int32_t> given) {
  std::vector<std::int32_t> nodes;
  if (question.query.empty()) {
    for (std::int32_t v = 0; v < network.size(); ++v) nodes.push_back(v);
    return nodes;
  }
  nodes = read_nodes(question.query, network, "--query");
  for (std::int32_t v = 0; v < network.size(); ++v)
    if (given[static_cast<std::size_t>(v)] >= 0) nodes.push_back(v);
  return nodes;
}

// The queried nodes alone. The most probable configuration is one of all nodes, so it has no part in the answer.
results::ExactRun only_nodes(const results::ExactRun& run, std::span<const std::int32_t> places) {
  results::ExactRun kept = run;
  kept.marginals.clear(), kept.most_probable.clear();
  kept.names = {};
  for (const std::int32_t v : places) {
    const auto m = static_cast<std::size_t>(v);
    kept.names.layout.add(run.names.layout.variable_of(v));
    kept.names.lower.push_back(run.names.lower[m]), kept.names.upper.push_back(run.names.upper[m]);
    kept.names.given.push_back(run.names.given[m]);
    kept.names.titles.push_back(run.names.titles[m]);
    kept.names.states.push_back(run.names.states[m]);
    kept.marginals.push_back(run.marginals[m]);
  }
  return kept;
}
}  // namespace

std::pair<std::int32_t, std::int32_t> read_node_state(const std::string& word,
                                                      const Network& network) {
  for (std::size_t equals = word.rfind('='); equals != word.npos && equals > 0;
       equals = word.rfind('=', equals - 1)) {
    const std::string name = trimmed_word(std::string_view(word).substr(0, equals));
    const auto found = std::ranges::find(network.nodes, name, &models::NetworkNode::name);
    if (found == network.nodes.end()) continue;
    const auto v = static_cast<std::int32_t>(found - network.nodes.begin());
    return {v, network.find_state(v, trimmed_word(std::string_view(word).substr(equals + 1)),
                                  "--given")};
  }
  const std::size_t equals = word.find('=');
  if (equals == word.npos)
    throw Error(ErrorCode::usage, fmt::format("'{}' has no state", word), "--given",
                "NODE=STATE, as smoke=yes");
  network.find(trimmed_word(std::string_view(word).substr(0, equals)), "--given");
  throw Error(ErrorCode::usage, fmt::format("'{}' has no state", word), "--given");
}

std::vector<std::int32_t> given_states(std::span<const std::string> words, const Network& network) {
  std::vector<std::int32_t> given(network.nodes.size(), -1);
  for (const std::string& word : words) {
    const auto [node, state] = read_node_state(word, network);
    std::int32_t& own = given[static_cast<std::size_t>(node)];
    if (own >= 0 && own != state)
      throw Error(ErrorCode::usage, network.node(node).name + " has two states", "--given",
                  "give one");
    own = state;
  }
  return given;
}

std::vector<std::int32_t> read_nodes(const std::string& words, const Network& network,
                                     const std::string& option) {
  std::vector<std::int32_t> nodes;
  for (const std::string& name : words_between_commas(words)) {
    const std::int32_t v = network.find(name, option);
    if (std::ranges::find(nodes, v) != nodes.end())
      throw Error(ErrorCode::usage, name + " is named twice", option, "name each node once");
    nodes.push_back(v);
  }
  return nodes;
}

results::DiscreteNames names_of_network(const Network& network, std::vector<std::int32_t> given) {
  results::DiscreteNames names;
  for (const std::string& name : models::program_names(network, is_free_in_programs))
    names.layout.add({.name = name, .kind = density::Kind::whole});
  for (const models::NetworkNode& node : network.nodes) {
    names.lower.push_back(1), names.upper.push_back(node.num_states());
    names.titles.push_back(node.name), names.states.push_back(node.states);
  }
  names.given = std::move(given);
  return names;
}

ExactAnswer exact_network(const Network& whole, const NetworkQuestion& question,
                          const ExactMethod& method) {
  const std::vector<std::int32_t> all_given = given_states(question.given, whole);
  const models::NetworkPart part =
      with_ancestors(whole, nodes_that_count(whole, question, all_given));
  const Network& network = part.network;
  std::vector<std::int32_t> given;
  for (const std::int32_t v : part.places) given.push_back(all_given[static_cast<std::size_t>(v)]);
  results::ExactOptions options = question.options;
  options.is_normalised = network.is_directed;
  for (const std::string& words : question.joint) {
    options.joints.push_back(read_nodes(words, network, "--joint"));
    std::ranges::sort(options.joints.back());
  }
  results::ExactRun run =
      method.sum_tables(models::factors_of(network), names_of_network(network, given), options);
  if (!question.query.empty())
    run = only_nodes(run, read_nodes(question.query, network, "--query"));
  run.program = whole.source;
  run.sum_is = !network.is_directed ? "log partition sum" : "log probability";
  return {arrays_of(run), exact_text(run, run.sum_is)};
}

}  // namespace credo::cli
