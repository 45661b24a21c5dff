// A sub-command: what it takes, what it does. One file each (cli/cmd_<name>.cpp), one row each in
// cli/commands.cpp; help, checks of options, --json errors and the exit status follow from the row.
#pragma once
#include "base/error.hpp"
#include "base/types.hpp"

namespace credo::cli {

// Where a command states its options. Names are "--draws" or "-o,--output"; targets hold the
// defaults.
class Arguments {
 public:
  virtual ~Arguments() = default;
  virtual void positional(const std::string& name, std::string& target,
                          const std::string& help) = 0;
  virtual void optional_positional(const std::string& name, std::string& target,
                                   const std::string& help) = 0;
  virtual void positionals(const std::string& name, std::vector<std::string>& target,
                           const std::string& help) = 0;
  virtual void option(const std::string& names, std::string& target, const std::string& help) = 0;
  virtual void option(const std::string& names, std::vector<std::string>& target,
                      const std::string& help) = 0;
  virtual void option(const std::string& names, double& target, const std::string& help) = 0;
  virtual void option(const std::string& names, Index& target, const std::string& help) = 0;
  virtual void option(const std::string& names, std::uint64_t& target, const std::string& help) = 0;
  virtual void flag(const std::string& names, bool& target, const std::string& help) = 0;
};

// Standard output and error; both checked when the command ends, so a full disk is an error.
class Output {
 public:
  void print(std::string_view text);
  void note(std::string_view text);  // standard error: progress, warnings
  void finish();                     // throws Error{io}
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void describe(Arguments& arguments) = 0;
  virtual int run(Output& output) = 0;  // the exit status; throws Error
  bool json = false;                    // --json: every command takes it
  std::vector<std::string> given;       // the words behind the command's name
};

struct CommandRow {
  std::string_view name, summary, examples;
  std::unique_ptr<Command> (*make)();
};

template <class T>
std::unique_ptr<Command> make_command() {
  return std::make_unique<T>();
}

extern const CommandRow bench_command, chain_command, check_command, export_command, info_command,
    log_prob_command, resume_command, sample_command, samplers_command, summary_command;
std::span<const CommandRow* const> commands();  // alphabetical

// Sets the targets of the arguments that `describe` states. Throws Error(usage).
void parse_arguments(const std::function<void(Arguments&)>& describe,
                     std::vector<std::string> words);

// Parses, runs, prints errors; returns the exit status (docs/exit-status.md).
int run_command_line(std::vector<std::string> arguments);

}  // namespace credo::cli
