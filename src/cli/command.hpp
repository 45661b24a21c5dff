// A sub-command: its arguments and its work. One file each (cli/commands/cmd_<name>.cpp), one row each in
// cli/commands.cpp; help, man pages, completion, checks of options, --config, --json errors and the
// exit status follow from the row.
#pragma once
#include "base/error.hpp"
#include "cli/options/command_spec.hpp"

namespace credo {
class Ranks;
}

namespace credo::cli {

// Standard output and error; both checked when the command ends, so a full disk is an error.
class Output {
 public:
  void print(std::string_view text);
  void note(std::string_view text);  // standard error: progress, warnings
  void finish();                     // throws Error{io}

  // Sink for notes while something is drawn on standard error; empty: standard error itself.
  std::function<void(std::string_view)> note_sink = nullptr;

  bool is_silent = false;  // no output at all: on ranks other than 0
  std::string* captured =
      nullptr;  // takes the place of standard output; null: standard output itself
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void describe(Arguments& arguments) = 0;
  virtual int run(Output& output) = 0;  // the exit status; throws Error
  // The run file of a command that draws, for the error when it is stopped or has no memory left; "" without one.
  virtual std::optional<std::string> run_file() const { return std::nullopt; }
  bool json = false;               // --json: every command takes it
  bool help = false;               // --help
  std::string config;              // --config: a file with options
  std::vector<std::string> given;  // words behind the command's name that give the same; --config's
                                   // are among them
  Specification asked;             // the arguments of this process as described values
  std::string like;                // --like: a file with options, of commands that describe_like
  std::string max_time;            // --max-time, of commands that keep numbered pieces of work
  Ranks* ranks = nullptr;          // that mpirun has started together; none: this process alone
};

// Meaning of mpirun -n K for a command.
enum class OverRanks {
  refused,   // it runs in one process
  by_run,    // rank 0 sends its run to the others (cli/run/runner.hpp)
  by_words,  // every rank does what the words say; rank 0 alone writes and prints
};

struct CommandRow {
  std::string_view name, summary, examples;  // examples: commands, one a line
  std::unique_ptr<Command> (*make)();
  std::string_view writes = "Standard output: the answer.";  // outputs, in sentences
  OverRanks over_ranks = OverRanks::refused;
};

template <class T>
std::unique_ptr<Command> make_command() {
  return std::make_unique<T>();
}

std::span<const CommandRow* const> commands();  // alphabetical
std::vector<std::string> command_names();
// Throws Error(usage) with the nearest name, or the command that takes such a file, and the line to
// type; `rest` are the words behind.
const CommandRow& find_command(std::string_view name, std::span<const std::string> rest = {});

// Arguments of the command, with those that all commands have.
// `chosen`: options that a request for help names, such as {"--sampler", "nuts"}.
using Chosen = std::map<std::string, std::string, std::less<>>;
Arguments arguments_of(const CommandRow& row, Command& command, Chosen chosen = {});

// States --like, by which the command takes the options of a file that it wrote (cli/options/command_spec.hpp).
void describe_like(Arguments& arguments, Command& command);

// Parses, runs, prints errors; returns the exit status (docs/exit-status.md).
int run_command_line(std::vector<std::string> words);
// One command, whose errors are thrown. `words` begin with its name; `json` is --json.
int run_words(std::span<const std::string> words, bool& json, Output& output, Ranks* ranks);

}  // namespace credo::cli
