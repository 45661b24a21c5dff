// The order of a factor's levels, from --levels or from the fit whose parameters are used:
//
//   const auto orders = parse_level_orders("g=[c,a,b],dose=[10,...]");
//   DataValue in_order = with_levels(value, orders[0]);   // code 1 is c, code 2 is a, ...
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {
class JsonWriter;
struct JsonValue;

// Parses orders of levels. "[c,a,b]" lists all levels, code 1 first; "[c,...]" lists the first ones, and the others
// follow in their default order. A level with a comma or a bracket stands in double quotes. Throws Error(usage).
std::vector<LevelOrder> parse_level_orders(std::string_view text);
std::string text_of(const LevelOrder& order);  // a text that parse_level_orders reads

// Writes members of a recipe: {"g": ["c", "a", "b"], "site": "numbers"}.
void write_level_orders(JsonWriter& json, std::span<const LevelOrder> orders);
std::vector<LevelOrder> level_orders(const JsonValue& value);

// The value with its codes in this order. Throws Error{data} with the row if a level isn't in the order, and if the
// column has texts where the order requires numbers.
DataValue with_levels(const DataValue& value, const LevelOrder& order);
// The value without unused levels, which are added to `left_out`.
DataValue with_used_levels(const DataValue& value, std::vector<std::string>& left_out);

// "a, b, c, ... (18 levels)".
std::string levels_in_short(std::span<const std::string> levels, std::size_t shown = 6);

}  // namespace credo::io
