#include "cli/help/help.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {
// Names in a column of their own, what they mean beside it.
std::string entry(const std::string& name, std::string_view meaning, int width) {
  constexpr int kMeaningAt = 26, kLeast = 30;
  if (width < kMeaningAt + kLeast)
    return "  " + name + "\n" + wrapped(meaning, width, {.first = 6, .hang = 6}) + "\n";
  const Index end = 2 + columns_of_text(name);
  if (end + 2 > kMeaningAt)
    return "  " + name + "\n" + wrapped(meaning, width, {.first = kMeaningAt, .hang = kMeaningAt}) +
           "\n";
  const std::string rest = wrapped(meaning, width, {.first = kMeaningAt, .hang = kMeaningAt});
  return "  " + name + rest.substr(static_cast<std::size_t>(end)) + "\n";
}

// Rank of a group that is listed last because it is rarely needed; -1 for other groups.
std::ptrdiff_t lateness(std::string_view title) {
  static constexpr std::array kLate{kTablesGroup, kEvaluationGroup, kEveryCommandGroup};
  const auto found = std::ranges::find(kLate, title);
  return found == kLate.end() ? -1 : found - kLate.begin();
}

std::string statuses_text(int width) {
  std::string text = "\nExit status\n";
  for (const ExitStatus& status : exit_statuses())
    text += wrapped(fmt::format("{} {}", status.number, status.meaning), width, {2, 4}) + "\n";
  return text;
}
}  // namespace

std::span<const ExitStatus> exit_statuses() {
  static constexpr std::array<ExitStatus, 10> statuses{
      {{0, "done"},
       {1, "internal fault: please report it"},
       {2, "an option or an argument is wrong or missing"},
       {3, "the program is wrong or not supported"},
       {4, "the data or initial values don't fit the program"},
       {5, "no initial point, or an evaluation ended the run"},
       {6, "a file can't be read or written"},
       {7, "stopped by a signal or a time limit"},
       {8, "with --strict: done, but the verdict is bad"},
       {9, "the system gives no more memory or threads"}}};
  return statuses;
}

std::span<const CommandGroup> command_groups() {
  static const std::array<CommandGroup, 6> kGroups{{
      {"Begin", {"new", "examples", "check", "data", "info"}},
      {"Run", {"sample", "optimize", "run", "resume", "watch"}},
      {"Look at a result", {"summary", "diagnose", "report", "plot", "export"}},
      {"Predict, criticise and compare",
       {"predict", "ppc", "loo", "compare", "score", "sensitivity", "sbc"}},
      {"Ask a model", {"evidence", "expect", "exact", "filter", "smooth", "simulate", "log-prob"}},
      {"Methods and help", {"samplers", "bench", "chain", "help", "man", "completion"}},
  }};
  return kGroups;
}

std::vector<ArgumentGroup> groups_of(const Arguments& arguments) {
  std::vector<ArgumentGroup> groups;
  for (const Argument& argument : arguments.all()) {
    const auto same = [&](const ArgumentGroup& group) { return group.title == argument.group; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) group = groups.insert(group, {argument.group, {}});
    group->arguments.push_back(&argument);
  }
  std::ranges::stable_sort(groups, {},
                           [](const ArgumentGroup& group) { return lateness(group.title); });
  // Data are needed by every run, options of single samplers rarely.
  const auto titled = [&](std::string_view title) {
    return std::ranges::find(groups, title, &ArgumentGroup::title);
  };
  const auto run = titled("Run"), tables = titled(kTablesGroup);
  if (run < tables && tables != groups.end()) std::rotate(run + 1, tables, tables + 1);
  return groups;
}

std::string usage_of(const CommandRow& command, const Arguments& arguments) {
  std::string usage = fmt::format("credo {}", command.name);
  for (const Argument& argument : arguments.all()) {
    if (!argument.positional) continue;
    const std::string name = shown_names(argument);
    usage += argument.required && arguments.stand_in().empty() ? " " + name : " [" + name + "]";
  }
  return usage + " [OPTIONS]";
}

std::string command_help(const CommandRow& command, int width) {
  const auto made = command.make();
  const Arguments arguments = arguments_of(command, *made);
  std::string text =
      wrapped(fmt::format("credo {}: {}", command.name, command.summary), width, {0, 2}) + "\n\n" +
      wrapped("usage: " + usage_of(command, arguments), width, {0, 7}) + "\n";
  const std::string_view examples = command.examples;
  text += "\nExample\n" + wrapped_commands(examples.substr(0, examples.find('\n')), width) + "\n";
  for (const ArgumentGroup& group : groups_of(arguments)) {
    text += "\n" + group.title + "\n";
    for (const Argument* argument : group.arguments)
      text += entry(shown_names(*argument), full_help(*argument), width);
  }
  if (!command.writes.empty()) text += "\nWrites\n" + wrapped(command.writes, width, {2, 2}) + "\n";
  text += "\nExamples\n" + wrapped_commands(command.examples, width) + "\n";
  return text + statuses_text(width);
}

std::string program_help(int width) {
  std::string text = wrapped(fmt::format("credo: {}", kProgramSummary), width, {0, 2}) + "\n\n" +
                     wrapped("usage: credo COMMAND [ARGUMENTS] [OPTIONS]", width, {0, 7}) +
                     "\n\nCommands\n";
  for (const CommandGroup& group : command_groups()) {
    text += "\n" + std::string(group.title) + "\n";
    for (const std::string_view name : group.names)
      text += entry(std::string(name), find_command(name).summary, width);
  }
  text += "\nOptions\n" +
          entry("-h, --help", "this page; behind a command, that command's", width) +
          entry("--version", "the version", width);
  return text + statuses_text(width);
}

}  // namespace credo::cli
