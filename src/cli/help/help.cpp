#include "cli/help/help.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"
#include "infer/core/needs.hpp"

namespace credo::cli {
namespace {
// Names in a column of their own, their meanings beside it.
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
  static const std::array<CommandGroup, 7> kGroups{{
      {"Begin", {"new", "examples", "check", "data", "info"}},
      {"Run",
       {"sample", "optimize", "approximate", "laplace", "pathfinder", "regression", "series",
        "impact", "gp", "select", "cluster", "topics", "label", "network", "ready", "run", "resume",
        "watch"}},
      {"Inspect a result", {"summary", "diagnose", "report", "plot", "export"}},
      {"Predict, criticise and compare",
       {"predict", "effects", "ppc", "loo", "compare", "score", "sensitivity", "sbc"}},
      {"Ask a table", {"information", "bottleneck"}},
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

namespace {
// Returns the words beside --help that choose a row of a table: options that other options of this command need.
Chosen rows_chosen(const CommandRow& command, const Chosen& words) {
  const auto made = command.make();
  const Arguments arguments = arguments_of(command, *made);
  Chosen chosen;
  for (const Argument& argument : arguments.all())
    for (const infer::Need& need : infer::parse_needs(argument.values.needs)) {
      const auto found = words.find(need.name);
      if (found == words.end() || need.values.empty()) continue;
      if (const Argument* chooser = arguments.find(need.name); !chooser->values.choices.empty())
        infer::check_choice(chooser->name(), chooser->values.choices, found->second);
      chosen[found->first] = found->second;
    }
  return chosen;
}

std::string text_of_choices(const Chosen& chosen) {
  std::string words;
  for (const auto& [name, value] : chosen) words += fmt::format(" {} {}", name, value);
  return words;
}

Given given_by(const Chosen& chosen) {
  Given given;
  for (const auto& [name, value] : chosen) given[name] = {value};
  return given;
}

// Options of rows are listed with their row; the others of a page on rows are those of the run.
bool is_listed(const Arguments& arguments, const Argument& argument, const Chosen& chosen) {
  constexpr std::array<std::string_view, 3> kRun{"Run", "Evidence", "Filter"};
  const bool met = needs_are_met(arguments, argument, given_by(chosen));
  if (argument.values.of_row) return met;
  if (chosen.empty()) return true;
  if (chosen.contains(argument.name())) return false;  // the title has it
  if (!argument.values.needs.empty()) return met;
  return std::ranges::find(kRun, argument.group) != kRun.end();
}

std::string entries_of(const Arguments& arguments, const Chosen& chosen, int width) {
  std::string text;
  for (const ArgumentGroup& group : groups_of(arguments)) {
    std::string entries;
    for (const Argument* argument : group.arguments)
      if (is_listed(arguments, *argument, chosen))
        entries += entry(shown_names(*argument), full_help(*argument), width);
    if (!entries.empty()) text += "\n" + group.title + "\n" + entries;
  }
  return text;
}

// The lines that name the pages with the other options.
std::string left_out_text(const CommandRow& command, const Arguments& arguments,
                          const Chosen& chosen, int width) {
  std::vector<std::string> choosers;
  for (const Argument& argument : arguments.all()) {
    if (!argument.values.of_row) continue;
    const std::string name(infer::parse_needs(argument.values.needs).back().name);
    const Argument* chooser = arguments.find(name);
    if (std::ranges::find(choosers, name) == choosers.end() && !chosen.contains(name) &&
        is_listed(arguments, *chooser, chosen))
      choosers.push_back(name);
  }
  std::string text;
  for (const std::string& chooser : choosers)
    text += wrapped(fmt::format("credo {} {} NAME --help lists the options of NAME", command.name,
                                chooser),
                    width, {2, 4}) +
            "\n";
  if (!chosen.empty())
    text +=
        wrapped(fmt::format("credo {0} --help lists the other options of credo {0}", command.name),
                width, {2, 4}) +
        "\n";
  return text.empty() ? text : "\nMore options\n" + text;
}
}  // namespace

std::string command_help(const CommandRow& command, int width, const Chosen& words) {
  const Chosen chosen = rows_chosen(command, words);
  const auto made = command.make();
  const Arguments arguments = arguments_of(command, *made, chosen);
  std::string text =
      wrapped(fmt::format("credo {}{}: {}", command.name, text_of_choices(chosen), command.summary),
              width, {0, 2}) +
      "\n\n" + wrapped("usage: " + usage_of(command, arguments), width, {0, 7}) + "\n";
  const std::string_view examples = command.examples;
  if (chosen.empty())
    text += "\nExample\n" + wrapped_commands(examples.substr(0, examples.find('\n')), width) + "\n";
  text += entries_of(arguments, chosen, width) + left_out_text(command, arguments, chosen, width);
  if (!chosen.empty()) return text;
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
