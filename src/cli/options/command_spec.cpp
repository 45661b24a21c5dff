#include "cli/options/command_spec.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/options/config_file.hpp"
#include "infer/core/needs.hpp"
#include "io/json_writer.hpp"
#include "results/arrays/array_file.hpp"
#include "results/files/facts.hpp"
#include "results/files/fit.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::cli {
namespace {

class ValueWriter {
 public:
  explicit ValueWriter(io::JsonWriter& json) : json_(json) {}
  void operator()(const std::string* value) const { json_.string(*value); }
  void operator()(const bool* value) const { json_.boolean(*value); }
  void operator()(const double* value) const { json_.number(*value); }
  void operator()(const Index* value) const { json_.integer(*value); }
  void operator()(const std::uint64_t* value) const {  // beyond 2^53 a string, as in --config
    constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
    *value < kExact ? json_.integer(static_cast<std::int64_t>(*value))
                    : json_.string(std::to_string(*value));
  }
  void operator()(const std::vector<std::string>* value) const {
    json_.begin_array();
    for (const std::string& text : *value) json_.string(text);
    json_.end_array();
  }

 private:
  io::JsonWriter& json_;
};

// Texts that are empty, lists without members and flags that are false are as good as not given.
bool is_blank(const Argument::Target& target) {
  if (const auto* text = std::get_if<std::string*>(&target)) return (*text)->empty();
  if (const auto* flag = std::get_if<bool*>(&target)) return !**flag;
  const auto* list = std::get_if<std::vector<std::string>*>(&target);
  return list != nullptr && (*list)->empty();
}

// Options of rows count wherever they are given: the command refuses those of other rows.
bool has_effect(const Arguments& arguments, const Argument& argument, const Given& given) {
  if (argument.values.changes == Changes::nothing || argument.values.writes != Writes::nothing ||
      is_blank(argument.target))
    return false;
  return argument.values.of_row || needs_are_met(arguments, argument, given);
}

std::vector<std::string> texts_of(const Argument::Target& target) {
  if (const auto* text = std::get_if<std::string*>(&target)) return {**text};
  const auto* list = std::get_if<std::vector<std::string>*>(&target);
  return list == nullptr ? std::vector<std::string>() : **list;
}

std::string bare(const std::string& option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}
}  // namespace

Specification command_spec(std::string_view question, const Arguments& arguments,
                           const Given& given) {
  Specification spec{.question = std::string(question)};
  for (const Argument& argument : arguments.all()) {
    if (!has_effect(arguments, argument, given)) continue;
    io::JsonWriter json;
    std::visit(ValueWriter(json), argument.target);
    auto& all = argument.values.changes == Changes::amount ? spec.amounts : spec.options;
    all[bare(argument.name())] = json.text();
    if (!argument.values.ending.empty())
      for (const std::string& path : texts_of(argument.target)) spec.inputs[path];
  }
  return spec;
}

Given given_of_spec(const io::JsonValue& spec, const Arguments& arguments) {
  Given given;
  for (const char* group : {"options", "amounts"})
    if (const io::JsonValue* object = spec.find(group))
      add_lower(given, config_of(*object, arguments));
  for (const Argument& argument : arguments.all())
    if (has_default(argument, given)) given.erase(argument.name());
  return given;
}

namespace {
std::string spec_of_netcdf(const std::string& path) {
  const auto file = results::read_arrays(path);
  const std::string text = file->text(results::kCommandSetting);
  return text.empty() ? file->text(results::kSpecFact) : text;
}

io::JsonValue spec_of_file(const std::string& path, std::string_view question) {
  results::require_run_file(path);
  if (const std::string text = kept_spec(path); !text.empty())
    return io::parse_json_value(text, path);
  throw Error(ErrorCode::usage,
              path.ends_with(".json") ? "an answer in JSON doesn't hold the options of its run"
                                      : "the file doesn't hold the options of its run",
              path,
              fmt::format("name a file that credo {0} wrote: FILE.nc, or FILE.nc.run of a run that "
                          "was broken off",
                          question));
}
}  // namespace

std::string kept_spec(const std::string& path) {
  if (results::is_netcdf_file(path)) return spec_of_netcdf(path);
  if (!results::is_run_file(path)) return {};
  const io::RunFile file = io::RunFile::open(path);
  const auto spec = file.facts().find(results::kSpecFact);
  return spec == file.facts().end() ? std::string() : spec->second;
}

Given given_of_file(const std::string& path, std::string_view question,
                    const Arguments& arguments) {
  const io::JsonValue spec = spec_of_file(path, question);
  const io::JsonValue* asked = spec.find("question");
  if (asked == nullptr || asked->text != question)
    throw Error(
        ErrorCode::usage,
        fmt::format("the file is one of credo {}, and {} takes the options of its own files",
                    asked == nullptr ? "sample" : asked->text, arguments.owner()),
        path, fmt::format("name a file that {} wrote", arguments.owner()));
  return given_of_spec(spec, arguments);
}

void add_like(const Arguments& arguments, Given& given, const Given& like) {
  Given merged = given;
  add_lower(merged, like);
  for (const auto& [name, texts] : like) {
    if (given.contains(name)) continue;
    const Argument& argument = *arguments.find(name);
    const auto needs = infer::parse_needs(argument.values.needs);
    const bool is_chosen_anew = std::ranges::any_of(
        needs, [&](const infer::Need& need) { return given.contains(need.name); });
    if ((argument.values.of_row && !is_chosen_anew) || needs_are_met(arguments, argument, merged))
      continue;
    merged.erase(name);
  }
  given = std::move(merged);
}

}  // namespace credo::cli
