// A call of a built-in function as ../shared/reference/functions states it.
#pragma once
#include "lang/check/check.hpp"
#include "lang/syntax/parser.hpp"
#include "lang/trace/builtins.hpp"
#include "lang/typed/overloads.hpp"
#include "support/json_tree.hpp"

namespace credo::lang {
using testing::Json;

struct Argument {
  BaseType base;
  int depth;
  Dims dims;
  std::vector<double> values;           // in storage order
  std::vector<std::size_t> text_order;  // place in the record's text -> storage place
  bool is_data = false;
  std::string function = {}, definition = {};  // of a function: its name and text
  std::vector<Argument> parts = {};            // of a tuple

  UnsizedType type() const {
    if (base != BaseType::tuple) return UnsizedType(base, depth);
    std::vector<UnsizedType> types;
    for (const Argument& part : parts) types.push_back(part.type());
    return UnsizedType::tuple(std::move(types));
  }
};

inline std::optional<BaseType> base_named(std::string_view name) {
  for (const BaseType base : {BaseType::integer, BaseType::real, BaseType::vector,
                              BaseType::row_vector, BaseType::matrix}) {
    if (spelling(base) == name) return base;
  }
  return std::nullopt;
}

// "array[,] vector" -> (vector, 2)
inline std::optional<UnsizedType> parse_type(std::string_view text) {
  int depth = 0;
  if (text.starts_with("array[")) {
    const std::size_t close = text.find(']');
    depth = static_cast<int>(close - 5);
    text = text.substr(close + 2);
  }
  const auto base = base_named(text);
  if (!base) return std::nullopt;
  return UnsizedType(*base, depth);
}

inline Dims dims_of_json(const Json& value, const UnsizedType& type) {
  Dims dims;
  const Json* at = &value;
  for (int d = 0; d < num_dimensions(type); ++d) {
    dims.push(at == nullptr ? 0 : std::ssize(at->items));
    at = at == nullptr || at->items.empty() ? nullptr : &at->items[0];
  }
  return dims;
}

// Text lists matrices by rows, storage by columns.
inline std::vector<std::size_t> storage_places(BaseType base, const Dims& dims) {
  std::vector<std::size_t> places(static_cast<std::size_t>(dims.total()));
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (base != BaseType::matrix || places.empty()) return places;
  const auto rows = static_cast<std::size_t>(dims.back(1)),
             cols = static_cast<std::size_t>(dims.back());
  for (std::size_t m = 0; m < places.size() / (rows * cols); ++m) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j)
        places[m * rows * cols + i * cols + j] = m * rows * cols + i + j * rows;
    }
  }
  return places;
}

// "tuple(array[] int, real)" -> the texts of its parts; nothing for other types.
inline std::vector<std::string> tuple_parts(std::string_view text) {
  std::vector<std::string> parts;
  if (!text.starts_with("tuple(")) return parts;
  int depth = 0;
  std::string part;
  for (const char c : text.substr(6, text.size() - 7)) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  parts.push_back(std::move(part));
  return parts;
}

inline std::optional<Argument> parse_argument(const Json& json);

inline std::optional<Argument> parse_tuple(const Json& json,
                                           const std::vector<std::string>& types) {
  Argument tuple{BaseType::tuple, 0, {}, {}, {}, json.find("data") != nullptr};
  for (std::size_t k = 0; k < types.size(); ++k) {
    Json part;
    part.kind = Json::Kind::object;
    Json type;
    type.kind = Json::Kind::string;
    type.text = types[k];
    part.members = {{"type", type}, {"value", json.at("value").items[k]}};
    auto parsed = parse_argument(part);
    if (!parsed) return std::nullopt;
    parsed->is_data = tuple.is_data;
    tuple.parts.push_back(std::move(*parsed));
  }
  return tuple;
}

inline std::optional<Argument> parse_argument(const Json& json) {
  if (const auto parts = tuple_parts(json.at("type").text); !parts.empty())
    return parse_tuple(json, parts);
  if (json.at("type").text == "function")
    return Argument{BaseType::function,   0, {}, {}, {}, true, json.at("name").text,
                    json.at("value").text};
  const auto type = parse_type(json.at("type").text);
  if (!type) return std::nullopt;
  Argument argument{type->base, type->depth, dims_of_json(json.at("value"), *type), {}, {}, false};
  std::vector<double> in_text_order;
  json.at("value").flatten(in_text_order);
  argument.text_order = storage_places(argument.base, argument.dims);
  argument.values.resize(in_text_order.size());
  for (std::size_t i = 0; i < in_text_order.size(); ++i)
    argument.values[argument.text_order[i]] = in_text_order[i];
  argument.is_data = json.find("data") != nullptr;
  return argument;
}

// The functions that are passed to the call, as a program of nothing else.
inline typed::Program program_of(std::span<const Argument> arguments) {
  std::string text = "functions {";
  for (const Argument& a : arguments) text += a.definition + "\n";
  Diagnostics diagnostics;
  const auto source = SourceMap::from_text("record", text + "}", diagnostics);
  auto program = check(parse(source, diagnostics), diagnostics);
  if (!program) throw Error(ErrorCode::program, render(source, diagnostics));
  return *std::move(program);
}

inline PassedFunction passed_function(const std::string& name, const typed::Program& program) {
  PassedFunction passed{name, {}, -1};
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    const typed::Function& f = program.functions[k];
    if (f.name != name) continue;
    FunctionType type{{}, f.data_only, f.result};
    for (std::size_t j = 0; j < f.num_parameters(); ++j)
      type.parameters.push_back(f.variables[j].type);
    passed.overloads.push_back({static_cast<int>(k), std::move(type)});
  }
  return passed;
}

// The types of the signature that the call means; ints that it promotes become reals.
inline std::optional<Match> resolve(std::string_view name, std::span<const Argument> arguments,
                                    const typed::Program& program) {
  std::vector<PassedFunction> passed;
  passed.reserve(arguments.size());
  std::vector<CallArgument> types;
  for (const Argument& a : arguments) {
    types.push_back({a.type(), nullptr});
    if (a.function.empty()) continue;
    passed.push_back(passed_function(a.function, program));
    types.back().function = &passed.back();
  }
  const int builtin = find_builtin(name);
  if (builtin < 0) return std::nullopt;
  auto match = resolve_call(name, builtin, {}, types);
  if (match) return *std::move(match);
  return std::nullopt;
}

inline std::optional<Match> resolve(std::string_view name, std::span<const Argument> arguments) {
  return resolve(name, arguments, program_of(arguments));
}

// A known argument as a value; ints that the signature takes as reals are promoted.
inline Value known_value(const Argument& a, bool is_int_parameter) {
  if (a.base != BaseType::integer)
    return from_expr(graph::constant(shape_of(a.base, a.dims), a.values), a.base, a.dims);
  const Value ints = a.dims.count == 0 ? Value(static_cast<std::int32_t>(a.values[0]))
                                       : make_ints(a.dims, {a.values.begin(), a.values.end()});
  return is_int_parameter ? ints : promoted_to_real(ints);
}

}  // namespace credo::lang
