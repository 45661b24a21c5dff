#include "cli/run/method_options.hpp"

#include <fmt/format.h>

namespace credo::cli {
namespace {
OptionNames names_in(const Arguments& arguments) {
  OptionNames names;
  for (const Argument& argument : arguments.all())
    if (!argument.positional && !argument.values.of_row) names.insert(argument.name());
  return names;
}
}  // namespace

OptionNames options_of(RunArguments& run) {
  Arguments arguments;
  run.describe(arguments, false);
  return names_in(arguments);
}

OptionNames options_of_answers() {
  ModelArguments model;
  Arguments arguments;
  model.reading.describe(arguments, "");
  OptionNames names = names_in(arguments);
  names.insert(
      {"--include", "--seed", "--threads", "--max-lanes", "--output", "--quiet", "--strict"});
  return names;
}

void need_methods(Arguments& arguments, const std::string& chooser,
                  std::span<const MethodOptions> methods) {
  OptionNames all;
  for (const MethodOptions& method : methods)
    all.insert(method.options.begin(), method.options.end());
  all.erase(chooser);
  for (const std::string& option : all) {
    std::vector<std::string> readers;
    for (const MethodOptions& method : methods)
      if (method.options.contains(option)) readers.push_back(method.method);
    if (readers.size() < methods.size())
      arguments.need(option, fmt::format("{}={}", chooser, fmt::join(readers, "|")));
  }
}

void refuse_beside(Arguments& arguments, const std::string& other, const OptionNames& all,
                   const OptionNames& read) {
  for (const std::string& option : all)
    if (!read.contains(option)) arguments.need(option, "!" + other);
}

void require_read(std::span<const std::string> given, const OptionNames& all,
                  const OptionNames& read, std::string_view method) {
  for (const std::string& word : given) {
    const std::string option = word.substr(0, word.find('='));
    if (all.contains(option) && !read.contains(option))
      throw Error(ErrorCode::usage, fmt::format("it has no part in --method {}", method), option,
                  "leave it out");
  }
}

std::string quoted_word(const std::string& word) {
  const bool is_plain =
      !word.empty() && word.find_first_of(" '\"()[]*?$&;|<>`\\{}~#!") == word.npos;
  if (is_plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string run_options_text(std::span<const std::string> given, RunArguments& run) {
  Arguments arguments;
  run.describe(arguments, false);
  ModelArguments model;
  Arguments reading;
  model.reading.describe(reading, "");
  std::string text;
  for (const std::string& word : given) {
    const std::size_t end = std::min(word.find('='), word.size());
    const std::string option = word.substr(0, end);
    if (!option.starts_with("--") || arguments.find(option) == nullptr ||
        reading.find(option) != nullptr || option == "--seed" || option == "--output")
      continue;
    text += " " + option;
    if (end < word.size()) text += " " + quoted_word(word.substr(end + 1));
  }
  return text;
}

}  // namespace credo::cli
