// Networks as JSON:
//
//   {"name": "sprinkler", "nodes": [
//     {"name": "rain", "states": ["yes", "no"], "table": [0.2, 0.8]},
//     {"name": "wet", "states": ["yes", "no"], "parents": ["rain"], "table": [[0.9, 0.1], [0.2, 0.8]]}]}
//
// A table is nested by the states of its parents and then its own, or flat: the last parent faster, the node's own states fastest. An
// undirected model has "factors" instead: [{"nodes": ["a", "b"], "values": [[2, 1], [1, 2]]}].
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "io/json_value.hpp"
#include "models/network/network_formats.hpp"

namespace credo::models {
namespace {
using io::JsonValue;

void flatten(const JsonValue& value, std::span<const std::size_t> shape, std::vector<double>& to) {
  const bool is_array = value.kind == JsonValue::Kind::array;
  if (is_array == shape.empty() || (is_array && value.items.size() != shape[0]))
    throw Error(ErrorCode::data, "the table's nesting differs from the states of its nodes",
                value.where,
                "a flat list, or lists within lists: one item for each state of the first node, "
                "and so on; a node's parents come before the node itself");
  if (!is_array) return to.push_back(value.as_number("an entry of a table"));
  for (const JsonValue& item : value.items) flatten(item, shape.subspan(1), to);
}

// A list of numbers, or lists within lists over the states of `nodes`.
std::vector<double> table_of(const JsonValue& value, const Network& network,
                             std::span<const std::int32_t> nodes) {
  if (value.kind != JsonValue::Kind::array || value.items.empty() ||
      value.items[0].kind != JsonValue::Kind::array)
    return value.as_numbers("a table");
  std::vector<std::size_t> shape;
  for (const std::int32_t v : nodes) shape.push_back(network.node(v).states.size());
  std::vector<double> numbers;
  flatten(value, shape, numbers);
  return numbers;
}

const JsonValue& member(const JsonValue& object, const char* name) {
  const JsonValue* found = object.find(name);
  if (found != nullptr) return *found;
  throw Error(ErrorCode::data, fmt::format("\"{}\" is missing", name), object.where,
              "a node has name, states, parents and table");
}

std::vector<std::int32_t> places_of(const Network& network, const JsonValue& list) {
  std::vector<std::int32_t> places;
  for (const std::string& name : list.as_strings("a list of names of nodes")) {
    const auto found = std::ranges::find(network.nodes, name, &NetworkNode::name);
    if (found == network.nodes.end())
      throw Error(ErrorCode::data, fmt::format("there is no node '{}'", name), list.where,
                  did_you_mean(name, network.names()));
    places.push_back(static_cast<std::int32_t>(found - network.nodes.begin()));
  }
  return places;
}

void require_members(const JsonValue& object, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : object.members)
    if (std::ranges::find(known, name) == known.end())
      throw Error(ErrorCode::data, fmt::format("\"{}\" is unknown", name), value.where,
                  did_you_mean(name, std::vector<std::string>(known.begin(), known.end())));
}

Network read_json(std::string_view text, const std::string& source, std::vector<std::string>&) {
  const JsonValue all = io::parse_json_value(text, source);
  require_members(all, {"name", "nodes", "factors", "description"});
  Network network;
  if (const JsonValue* name = all.find("name")) network.name = name->as_string("a name");
  const auto& nodes = member(all, "nodes").as_array("a list of nodes");
  for (const JsonValue& node : nodes) {
    require_members(node, {"name", "states", "parents", "table", "description"});
    network.nodes.push_back({.name = member(node, "name").as_string("a name"),
                             .states = member(node, "states").as_strings("names of states")});
  }
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    NetworkNode& node = network.nodes[v];
    if (const JsonValue* parents = nodes[v].find("parents"))
      node.parents = places_of(network, *parents);
    std::vector<std::int32_t> family = node.parents;
    family.push_back(static_cast<std::int32_t>(v));
    if (const JsonValue* table = nodes[v].find("table"))
      node.table = table_of(*table, network, family);
  }
  const JsonValue* factors = all.find("factors");
  if (factors == nullptr) return network;
  network.is_directed = false;
  for (const NetworkNode& node : network.nodes)
    if (!node.table.empty() || !node.parents.empty())
      throw Error(ErrorCode::data, fmt::format("{} has parents or a table", node.name),
                  factors->where, "a network has tables or factors, not both");
  for (const JsonValue& factor : factors->as_array("a list of factors")) {
    require_members(factor, {"nodes", "values"});
    network.factors.push_back({.nodes = places_of(network, member(factor, "nodes")), .values = {}});
    NetworkFactor& own = network.factors.back();
    own.values = table_of(member(factor, "values"), network, own.nodes);
  }
  return network;
}

// ---- writing

std::string json_texts(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + io::json_string(text);
  return "[" + list + "]";
}

std::string json_numbers(std::span<const double> numbers) {
  std::string list;
  for (const double number : numbers) list += fmt::format("{}{}", list.empty() ? "" : ", ", number);
  return "[" + list + "]";
}

std::string names_at(const Network& network, std::span<const std::int32_t> places) {
  std::vector<std::string> names;
  for (const std::int32_t v : places) names.push_back(network.node(v).name);
  return json_texts(names);
}

std::string write_json(const Network& network) {
  std::string text = fmt::format("{{\"name\": {}, \"nodes\": [", io::json_string(network.name));
  for (std::int32_t v = 0; v < network.size(); ++v) {
    const NetworkNode& node = network.node(v);
    text += fmt::format("{}\n  {{\"name\": {}, \"states\": {}", v == 0 ? "" : ",",
                        io::json_string(node.name), json_texts(node.states));
    if (!node.parents.empty())
      text += fmt::format(", \"parents\": {}", names_at(network, node.parents));
    if (!node.table.empty()) text += fmt::format(", \"table\": {}", json_numbers(node.table));
    text += "}";
  }
  text += "]";
  for (std::size_t f = 0; f < network.factors.size(); ++f)
    text += fmt::format(
        "{}\n  {{\"nodes\": {}, \"values\": {}}}", f == 0 ? ", \"factors\": [" : ",",
        names_at(network, network.factors[f].nodes), json_numbers(network.factors[f].values));
  return text + (network.is_directed ? "}\n" : "]}\n");
}
}  // namespace

extern const NetworkFormat json_format{.ending = ".json",
                                       .summary = "nodes with states, parents and tables",
                                       .read = read_json,
                                       .write = write_json};

}  // namespace credo::models
