#include "results/files/scheme_text.hpp"

#include <fmt/format.h>

#include "density/names.hpp"
#include "infer/compose/compose.hpp"
#include "infer/core/standard_samplers.hpp"
#include "infer/core/table.hpp"
#include "results/files/json_fields.hpp"
#include "results/files/selection.hpp"

namespace credo::results {
namespace {
using infer::Scheme;
using io::JsonValue;
using io::JsonWriter;

constexpr auto kKinds = enum_names(Scheme::Kind{});
constexpr std::span kWords = std::span(kKinds).first(5);  // without `own`, which nobody writes

// ---- reading

Error wrong(const std::string& where, std::string message, std::string hint) {
  return Error(ErrorCode::usage, std::move(message), where, std::move(hint));
}

// The kind of a part, which exactly one of its members must name.
Scheme::Kind kind_of(const JsonValue& value) {
  std::optional<Scheme::Kind> kind;
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    if (value.find(kKinds[k]) == nullptr) continue;
    if (kind)
      throw wrong(value.where,
                  fmt::format("a part has both '{}' and '{}'",
                              kKinds[static_cast<std::size_t>(*kind)], kKinds[k]),
                  "it has one of them; the parts of a composition are parts themselves");
    kind = static_cast<Scheme::Kind>(k);
  }
  if (!kind)
    throw wrong(value.where, "a part of the scheme has no kind",
                fmt::format("it has one of the members {}", fmt::join(kWords, ", ")));
  return *kind;
}

void read_sampler(JsonObject& part, Scheme& scheme) {
  const JsonValue name = *part.take("sampler");
  scheme.sampler = name.as_string("sampler");
  if (scheme.sampler == infer::kCompositionName)
    throw wrong(name.where, "a composition is no sampler",
                "write its parts here: {\"cycle\": [...]}");
  try {
    const infer::SamplerSpec& row = infer::find_sampler(scheme.sampler);
    infer::kernel(scheme);  // throws where it can't be a part
    scheme.options = row.options();
  } catch (const Error& error) {
    throw wrong(name.where, error.message(), error.hint());
  }
  if (const auto options = part.take("options"))
    read_options(*options, scheme.sampler, scheme.options);
}

double read_weight(JsonObject& part, const std::string& where) {
  const auto value = part.take("weight");
  if (!value)
    throw wrong(where, "a part of a mixture has no weight",
                "write \"weight\": w, and it is taken with probability w over their sum");
  const double weight = value->as_number("weight");
  try {
    infer::check_weights({&weight, 1});
  } catch (const Error& error) {
    throw wrong(value->where, error.message(), error.hint());
  }
  return weight;
}

std::string example_part() {
  return fmt::format(R"({{"sampler": "{}"}})", infer::kStandardSampler);
}

bool is_alone(const Scheme& part) {  // no composition
  return part.kind == Scheme::Kind::sampler || part.kind == Scheme::Kind::own;
}

Scheme read_part(const JsonValue& value, bool is_weighted) {
  if (value.kind != JsonValue::Kind::object)
    throw wrong(value.where, "a part of the scheme must be an object, is " + io::describe(value),
                "write " + example_part() + R"(, or {"cycle": [...]} of such parts)");
  JsonObject part(value, "a part of the scheme");
  Scheme scheme{.kind = kind_of(value), .where = value.where};
  if (scheme.kind == Scheme::Kind::sampler) read_sampler(part, scheme);
  if (scheme.kind == Scheme::Kind::own) scheme.sampler = part.take("own")->as_string("own");
  if (is_weighted) scheme.weight = read_weight(part, value.where);
  const auto on = part.take("on");
  if (on) scheme.on = on->as_strings("on");
  if (on && scheme.on.empty())
    throw wrong(on->where, "'on' names no parameter",
                "leave it out to move all, or name one: \"on\": [\"theta\"]");
  if (!is_alone(scheme)) {
    const std::string word(kKinds[static_cast<std::size_t>(scheme.kind)]);
    const JsonValue parts = *part.take(word);
    for (const JsonValue& item : parts.as_array(word))
      scheme.parts.push_back(read_part(item, scheme.kind == Scheme::Kind::mixture));
    if (scheme.parts.empty())
      throw wrong(parts.where, fmt::format("the {} has no part", word),
                  "write one at least: " + example_part());
  }
  part.finish();
  return scheme;
}

// ---- writing

void write_part(JsonWriter& json, const Scheme& part, bool is_weighted) {
  const std::string_view word = kKinds[static_cast<std::size_t>(part.kind)];
  json.begin_object();
  if (is_weighted) json.key("weight").number(part.weight);
  json.key(word);
  if (part.kind == Scheme::Kind::sampler) {
    json.string(part.sampler).key("options").begin_object();
    write_fields(json,
                 part.options.empty() ? infer::find_sampler(part.sampler).options() : part.options);
    json.end_object();
  } else if (part.kind == Scheme::Kind::own) {
    json.string(part.sampler);
  } else {
    json.begin_array();
    for (const Scheme& inner : part.parts)
      write_part(json.line_break(), inner, part.kind == Scheme::Kind::mixture);
    json.end_array();
  }
  if (!part.on.empty()) json.key("on").begin_array();
  for (const std::string& name : part.on) json.string(name);
  if (!part.on.empty()) json.end_array();
  json.end_object();
}

// ---- names

class Finder {
 public:
  explicit Finder(const density::Names& names)
      : free_(names.unconstrained()),
        outputs_(names.outputs()),
        num_continuous_(names.num_continuous()),
        names_(free_.element_names()),
        moved_(static_cast<std::size_t>(num_continuous_)) {}

  void find(Scheme& scheme) {
    if (num_continuous_ == 0)
      throw wrong(scheme.where, "the model has no continuous parameters for a scheme to move",
                  "run it without the scheme: discrete parameters are drawn by Gibbs updates");
    std::vector<Index> all(moved_.size());
    std::iota(all.begin(), all.end(), Index{0});
    find(scheme, all);
    require_all_moved(scheme);
  }

 private:
  // `around`: the coordinates that the enclosing part moves.
  void find(Scheme& part, const std::vector<Index>& around) {
    std::vector<Index> own = part.on.empty() ? around : coordinates_of(part);
    part.coordinates.clear();
    if (!part.on.empty())
      for (const Index d : own) part.coordinates.push_back(place_in(around, d, part));
    for (Scheme& inner : part.parts) find(inner, own);
    if (is_alone(part))
      for (const Index d : own) moved_[static_cast<std::size_t>(d)] = true;
  }

  Index place_in(const std::vector<Index>& around, Index d, const Scheme& part) const {
    const auto found = std::lower_bound(around.begin(), around.end(), d);
    if (found == around.end() || *found != d)
      throw wrong(part.where,
                  fmt::format("the part moves {}, which the part around it doesn't", name(d)),
                  "name it in the 'on' of the part around, or leave that out");
    return found - around.begin();
  }

  // Ascending.
  std::vector<Index> coordinates_of(const Scheme& part) const {
    std::vector<Index> all;
    for (const std::string& pattern : part.on)
      for (const Index d : places(pattern, part)) {
        if (std::find(all.begin(), all.end(), d) != all.end())
          throw wrong(part.where, fmt::format("'{}' names {} once more", pattern, name(d)),
                      "name each parameter of a part once");
        require_movable(pattern, d, part);
        all.push_back(d);
      }
    std::sort(all.begin(), all.end());
    return all;
  }

  std::vector<Index> places(const std::string& pattern, const Scheme& part) const {
    try {
      return places_of(pattern, "on", names_);
    } catch (const Error& error) {
      const auto output = outputs_.find_variable(pattern);
      if (output && outputs_.variables()[static_cast<std::size_t>(*output)].block ==
                        density::Block::parameters)
        throw wrong(part.where, fmt::format("'{}' has no values that are moved", pattern),
                    "it is summed out, or empty: leave it out");
      throw wrong(part.where, fmt::format("there is no parameter that '{}' fits", pattern),
                  error.hint());
    }
  }

  void require_movable(const std::string& pattern, Index d, const Scheme& part) const {
    const density::Variable& variable = free_.variable_of(d);
    if (d >= num_continuous_)
      throw wrong(part.where, variable.name + " is discrete, which no part of a scheme moves",
                  "leave it out: Gibbs updates draw it after each transition of the scheme");
    const auto output = outputs_.find_variable(variable.name);
    const Index num_elements =
        output ? outputs_.variables()[static_cast<std::size_t>(*output)].size() : variable.size();
    const bool is_of_elements = pattern.find_first_of("[.") != std::string::npos;
    if (is_of_elements && num_elements != variable.size())
      throw wrong(part.where,
                  fmt::format("'{}' names elements of {}, which has {} elements made of {} "
                              "unconstrained values",
                              pattern, variable.name, num_elements, variable.size()),
                  fmt::format("name all of it: \"{}\"", variable.name));
  }

  void require_all_moved(const Scheme& scheme) const {
    std::string still;
    for (Index d = 0; d < num_continuous_; ++d)
      if (!moved_[static_cast<std::size_t>(d)]) still += (still.empty() ? "" : ", ") + name(d);
    if (!still.empty())
      throw wrong(scheme.where, "no part of the scheme moves " + still,
                  "add a part on it, or a part without 'on', which moves all: else the chains "
                  "keep its initial values");
  }

  std::string name(Index d) const { return names_[static_cast<std::size_t>(d)]; }

  const density::Layout free_, outputs_;
  Index num_continuous_;
  std::vector<std::string> names_;
  std::vector<bool> moved_;
};
}  // namespace

infer::Scheme read_scheme(const JsonValue& value) { return read_part(value, false); }

void write_scheme(JsonWriter& json, const Scheme& scheme) { write_part(json, scheme, false); }

void find_coordinates(infer::Scheme& scheme, const density::Names& names) {
  Finder(names).find(scheme);
}

}  // namespace credo::results
