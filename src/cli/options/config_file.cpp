#include "cli/options/config_file.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/file.hpp"
#include "io/json_value.hpp"
#include "io/number_text.hpp"

namespace credo::cli {
namespace {
using io::JsonValue;
using Kind = JsonValue::Kind;

constexpr double kExact = 9007199254740992.0;  // 2^53: whole numbers below have one double each

class ConfigReader {
 public:
  explicit ConfigReader(const Arguments& arguments) : arguments_(arguments) {}

  Given read(const JsonValue& file) {
    if (file.kind != Kind::object)
      throw Error(ErrorCode::usage,
                  "options must be the members of an object, found " + describe(file), file.where,
                  R"(as in {"draws": 500})");
    Given given;
    for (const auto& [name, value] : file.members) take(name, value, given);
    return given;
  }

 private:
  // The options of a row: {"mover": {"name": "nuts", "options": {"max-depth": 6}}}.
  bool take_row(const std::string& name, const JsonValue& value, Given& given) const {
    if (value.kind != Kind::object || !has_options_below(name)) return false;
    for (const auto& [member, inner] : value.members) {
      if (member == "name")
        take(name, inner, given);
      else if (member == "options" && inner.kind == Kind::object)
        for (const auto& [option, text] : inner.members) take(name + "." + option, text, given);
      else
        refuse(member, inner, "name, or an object of options");
    }
    return true;
  }
  bool has_options_below(const std::string& name) const {
    return std::ranges::any_of(arguments_.all(), [&](const Argument& argument) {
      return argument.name().starts_with("--" + name + ".");
    });
  }

  void take(const std::string& name, const JsonValue& value, Given& given) const {
    if (take_row(name, value, given)) return;
    const Argument& argument = find(name, value);
    if (given.contains(argument.name()))
      throw Error(ErrorCode::usage, fmt::format("{} is given twice", argument.name()), value.where,
                  "leave one of its names");
    given[argument.name()] = texts_of(argument, name, value);
    if (given[argument.name()].empty()) given.erase(argument.name());
  }

  const Argument& find(const std::string& name, const JsonValue& value) const {
    const Argument* argument = arguments_.find("--" + name);
    if (argument == nullptr) argument = arguments_.find(name);
    const bool allowed = name != "config" && name != "help";
    if (argument != nullptr && allowed && !name.starts_with("-")) return *argument;
    const std::string hint =
        allowed ? hint_for(arguments_, name) : std::string("give it on the command line");
    throw Error(ErrorCode::usage,
                fmt::format("{} has no option '{}' for a file", arguments_.owner(), name),
                value.where, hint);
  }

  std::vector<std::string> texts_of(const Argument& argument, const std::string& name,
                                    const JsonValue& value) const {
    if (!argument.is_list()) return {text_of(argument, name, value)};
    if (value.kind != Kind::array)
      return {string_of(name, value, "a string or an array of strings")};
    std::vector<std::string> texts;
    for (const JsonValue& item : value.items) texts.push_back(string_of(name, item, "a string"));
    return texts;
  }

  static std::string text_of(const Argument& argument, const std::string& name,
                             const JsonValue& value) {
    if (argument.is_flag()) {
      if (value.kind != Kind::boolean) refuse(name, value, "true or false");
      return value.truth ? "true" : "false";
    }
    if (std::holds_alternative<double*>(argument.target)) {
      if (value.kind != Kind::number) refuse(name, value, "a number");
      return io::number_text(value.number);
    }
    if (std::holds_alternative<std::string*>(argument.target))
      return word_of(argument, name, value);
    return whole_of(argument, name, value);
  }

  // Numbers and truths are words, too, except for names and files.
  static std::string word_of(const Argument& argument, const std::string& name,
                             const JsonValue& value) {
    const Values& values = argument.values;
    std::string text = value.text;
    if (value.kind == Kind::number) text = io::number_text(value.number);
    if (value.kind == Kind::boolean) text = value.truth ? "true" : "false";
    const bool chosen =
        std::find(values.choices.begin(), values.choices.end(), text) != values.choices.end();
    const bool only_strings =
        argument.positional || !values.ending.empty() || (!values.choices.empty() && !chosen);
    const bool scalar = value.kind == Kind::number || value.kind == Kind::boolean;
    if (scalar && !only_strings) return text;
    return string_of(name, value, only_strings ? "a string" : "a string or a number");
  }

  // A number beyond 2^53 isn't exact in JSON; a seed may be a string.
  static std::string whole_of(const Argument& argument, const std::string& name,
                              const JsonValue& value) {
    const bool large = std::holds_alternative<std::uint64_t*>(argument.target);
    if (large && value.kind == Kind::string) return value.text;
    if (value.kind != Kind::number || value.number != std::floor(value.number))
      refuse(name, value, "a whole number");
    if (!(std::fabs(value.number) < kExact))
      refuse(name, value, large ? "below 2^53, or a string" : "below 2^53");
    return fmt::format("{:.0f}", value.number);
  }

  static std::string string_of(const std::string& name, const JsonValue& value, const char* rule) {
    if (value.kind != Kind::string) refuse(name, value, rule);
    return value.text;
  }

  [[noreturn]] static void refuse(const std::string& name, const JsonValue& value,
                                  const char* rule) {
    throw Error(ErrorCode::usage,
                fmt::format("{} must be {}, found {}", name, rule, describe(value)), value.where);
  }

  const Arguments& arguments_;
};
}  // namespace

Given parse_config(std::string_view text, const std::string& source, const Arguments& arguments) {
  return config_of(io::parse_json_value(text, source), arguments);
}

Given config_of(const io::JsonValue& object, const Arguments& arguments) {
  return ConfigReader(arguments).read(object);
}

Given read_config(const std::string& path, const Arguments& arguments) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 24;
  return parse_config(io::read_file(path, kMaxBytes), path, arguments);
}

}  // namespace credo::cli
