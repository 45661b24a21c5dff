// The order of a factor's levels, from --levels or from the fit whose parameters are used:
//
//   const auto orders = parse_level_orders("g=[c,a,b],dose=[10,...]");
//   DataValue in_order = with_levels(value, orders[0]);   // code 1 is c, code 2 is a, ...
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {
class JsonWriter;
struct JsonValue;

// "[c,a,b]": these levels and no others, code 1 first. "[c,...]": the listed ones first, then the others
// in the order that they have without it. A level with a comma or a bracket stands in double quotes.
// Throws Error(usage).
std::vector<LevelOrder> parse_level_orders(std::string_view text);

// As members of a recipe: {"g": ["c", "a", "b"], "site": "numbers"}.
void write_level_orders(JsonWriter& json, std::span<const LevelOrder> orders);
std::vector<LevelOrder> level_orders(const JsonValue& value);

// The value with its codes in this order. Throws Error{data} with the row of a level that the order doesn't have, and
// where the column has texts and the order says that it has numbers.
DataValue with_levels(const DataValue& value, const LevelOrder& order);
// The value without the levels that no element has.
DataValue with_used_levels(const DataValue& value, std::vector<std::string>& left_out);

// "a, b, c, ... (18 levels)".
std::string levels_in_short(std::span<const std::string> levels, std::size_t shown = 6);

}  // namespace credo::io
