#include "cli/tables/network_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "models/network/network_formats.hpp"

namespace credo::cli {
namespace {
using models::Network;

std::vector<std::string> parted(const std::string& text, char mark) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(mark, at), text.size());
    const std::string part = text.substr(at, end - at);
    const auto first = part.find_first_not_of(" \t");
    parts.push_back(first == part.npos
                        ? std::string()
                        : part.substr(first, part.find_last_not_of(" \t") - first + 1));
    at = end + 1;
  }
  return parts;
}

std::vector<std::int32_t> side_of(const std::string& words, const Network& network) {
  std::vector<std::int32_t> nodes;
  for (const std::string& name : parted(words, '+'))
    nodes.push_back(network.find(name, "--separated"));
  return nodes;
}

std::string cells_text(std::span<const std::string> cells) {
  std::string text;
  for (const std::string& cell : cells) text += (text.empty() ? "" : ",") + score::csv_text(cell);
  return text + "\n";
}
}  // namespace

Index NetworkTable::column(const std::string& name) const {
  if (const auto found = columns_.find(name)) return *found;
  const std::string near = did_you_mean(name, names());
  throw Error(ErrorCode::data, fmt::format("there is no column {}", name), columns_.source(),
              near.empty() ? "each node needs a column with its name" : near);
}

std::vector<std::string> NetworkTable::states(const std::string& name) const {
  const Index c = column(name);
  std::set<std::string> cells;
  for (Index row = 0; row < columns_.num_rows(); ++row)
    if (!score::is_missing(columns_.cell(row, c))) cells.insert(columns_.cell(row, c));
  std::vector<std::string> states(cells.begin(), cells.end());
  const auto number = [](const std::string& text) { return models::network_number(text); };
  if (std::ranges::all_of(states, [&](const std::string& s) { return number(s).has_value(); }))
    std::ranges::stable_sort(states, std::less(), [&](const std::string& s) { return *number(s); });
  return states;
}

std::string NetworkTable::place(Index row, const std::string& name) const {
  return columns_.place(row, column(name));
}

models::NetworkRows NetworkTable::rows_of(const Network& network) const {
  std::vector<Index> places;
  std::vector<std::map<std::string, std::int32_t, std::less<>>> states(network.nodes.size());
  for (std::size_t v = 0; v < network.nodes.size(); ++v) {
    places.push_back(column(network.nodes[v].name));
    for (const std::string& state : network.nodes[v].states)
      states[v].emplace(state, static_cast<std::int32_t>(states[v].size()));
  }
  models::NetworkRows rows;
  for (Index row = 0; row < columns_.num_rows(); ++row) {
    rows.emplace_back();
    for (std::size_t v = 0; v < places.size(); ++v) {
      const std::string& cell = columns_.cell(row, places[v]);
      const auto found = states[v].find(cell);
      if (found == states[v].end() && !score::is_missing(cell))
        throw Error(ErrorCode::data,
                    fmt::format("{} has no state '{}'", network.nodes[v].name, cell),
                    columns_.place(row, places[v]),
                    fmt::format("its states are {}", fmt::join(network.nodes[v].states, ", ")));
      rows.back().push_back(found == states[v].end() ? -1 : found->second);
    }
  }
  return rows;
}

Network structure_of(const NetworkTable& table, std::span<const std::string> parents) {
  Network network;
  network.source = "--parents";
  for (const std::string& name : table.names())
    network.nodes.push_back({.name = name, .states = table.states(name)});
  for (const std::string& words : parents) {
    const std::vector<std::string> sides = parted(words, '~');
    if (sides.size() != 2)
      throw Error(ErrorCode::usage, fmt::format("'{}' has no form NODE ~ NODES", words),
                  "--parents", "\"dysp ~ lung + bronc\"");
    models::NetworkNode& node =
        network.nodes[static_cast<std::size_t>(network.find(sides[0], "--parents"))];
    if (!node.parents.empty())
      throw Error(ErrorCode::usage, fmt::format("parents of {} are named twice", node.name),
                  "--parents", "name them in one option");
    for (const std::string& name : parted(sides[1], '+'))
      node.parents.push_back(network.find(name, "--parents"));
  }
  std::vector<std::string> notes;
  require_sound(network, {.needs_tables = false}, notes);
  return network;
}

models::SeparationQuestion separation_question(const std::string& sides,
                                               std::span<const std::string> given,
                                               const Network& network) {
  const std::vector<std::string> both = parted(sides, ',');
  if (both.size() != 2)
    throw Error(ErrorCode::usage,
                fmt::format("'{}' has {} sides, must have two", sides, both.size()), "--separated",
                "\"a + b, c\"");
  models::SeparationQuestion question{
      .a = side_of(both[0], network), .b = side_of(both[1], network), .given = {}};
  for (const std::string& words : given)
    for (const std::string& name : parted(words, ','))
      question.given.push_back(network.find(name, "--given"));
  return question;
}

std::string header_text(const Network& network) { return cells_text(network.names()); }

std::string row_text(const Network& network, std::span<const std::int32_t> states) {
  std::vector<std::string> cells;
  for (std::size_t v = 0; v < states.size(); ++v)
    cells.push_back(network.nodes[v].states[static_cast<std::size_t>(states[v])]);
  return cells_text(cells);
}

}  // namespace credo::cli
