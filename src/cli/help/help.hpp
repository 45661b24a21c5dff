// The pages that --help prints.
#pragma once
#include "cli/command.hpp"

namespace credo::cli {

std::string program_help(int width);  // credo --help
// credo COMMAND --help. With rows chosen ("--sampler nuts") the page has the options of the run and of these rows only. Throws
// Error(usage) for a row that isn't there.
std::string command_help(const CommandRow& command, int width, const Chosen& chosen = {});

// "credo sample MODEL [OPTIONS]".
std::string usage_of(const CommandRow& command, const Arguments& arguments);

// The command's arguments in their groups, in the order they are stated.
struct ArgumentGroup {
  std::string title;
  std::vector<const Argument*> arguments;
};
std::vector<ArgumentGroup> groups_of(const Arguments& arguments);

// Commands by purpose, as credo --help lists them. Each command is in one group.
struct CommandGroup {
  std::string_view title;
  std::vector<std::string_view> names;
};
std::span<const CommandGroup> command_groups();

struct ExitStatus {
  int number;
  std::string_view meaning;
};
std::span<const ExitStatus> exit_statuses();  // docs/exit-status.md

inline constexpr std::string_view kProgramSummary =
    "Bayesian inference in one program: Stan models without a compiler";

}  // namespace credo::cli
