#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "base/nearest_name.hpp"
#include "base/ranks.hpp"
#include "cli/command.hpp"
#include "cli/help/help.hpp"
#include "cli/load.hpp"
#include "cli/options/config_file.hpp"
#include "cli/options/option_words.hpp"
#include "cli/options/output_places.hpp"
#include "cli/run/rank_tasks.hpp"
#include "cli/term/memory.hpp"
#include "cli/term/open_ranks.hpp"
#include "cli/term/stop.hpp"
#include "cli/term/terminal.hpp"
#include "infer/core/standard_samplers.hpp"
#include "infer/core/table.hpp"
#include "infer/variational/approximation.hpp"
#include "io/written_files.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/draws/work.hpp"

namespace credo::cli {
namespace {

// A command can be pasted: no line breaks in it, up to the next semicolon.
constexpr char kUnbroken = '\x01';
std::string unbroken_commands(std::string text) {
  for (const std::string_view command : {"credo ", "mkdir "}) {
    for (std::size_t at = text.find(command); at != text.npos; at = text.find(command, at)) {
      const std::size_t end = std::min(text.find(';', at), text.size());
      std::replace(text.begin() + static_cast<std::ptrdiff_t>(at),
                   text.begin() + static_cast<std::ptrdiff_t>(end), ' ', kUnbroken);
      at = end;
    }
  }
  return text;
}

std::string with_spaces(std::string text) {
  std::replace(text.begin(), text.end(), kUnbroken, ' ');
  return text;
}

// The place, "error:", the message; the way out on a line of its own.
std::string error_text(const Error& error, int width) {
  std::string text = error.where().empty() ? "" : error.where() + ": ";
  const char* const kind = error.code() == ErrorCode::interrupted ? "" : "error: ";
  text = wrapped(visible(text + kind + error.message()), width, {0, 2}) + "\n";
  if (!error.hint().empty())
    text +=
        with_spaces(wrapped("hint: " + unbroken_commands(visible(error.hint())), width, {2, 4})) +
        "\n";
  return text;
}

std::string coloured(std::string text) {
  constexpr std::string_view kWord = "error:", kRed = "\033[1;31m", kPlain = "\033[0m";
  const std::size_t at = text.find(kWord);
  if (at == std::string::npos) return text;
  text.insert(at + kWord.size(), kPlain);
  return text.insert(at, kRed);
}

void print_error_text(const Error& error) {
  const std::string text = error_text(error, text_width(STDERR_FILENO));
  std::fputs((screen_of(STDERR_FILENO).colour ? coloured(text) : text).c_str(), stderr);
}

void print_error(const Error& error, bool json) {
  if (!json) return print_error_text(error);
  results::ArrayList answer;
  answer.set("message", error.message(), "error.message");
  answer.set("where", error.where(), "error.where");
  answer.set("hint", error.hint(), "error.hint");
  answer.set("status", static_cast<Index>(error.code()), "error.status");
  std::string text = results::answer_json(answer);
  if (const auto* program = dynamic_cast<const ProgramErrors*>(&error))
    text.insert(text.rfind('}'), ",\"errors\":" + program->diagnostics());
  std::fputs(text.c_str(), stdout);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) print_error_text(error);
}

int failed(const Error& error, bool json) {
  print_error(error, json);
  return static_cast<int>(error.code());
}

// Even for the message there may be no memory.
int failed_for_memory(const std::bad_alloc& failure, bool json) {
  try {
    return failed(memory_error(failure), json);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kWords = "error: out of memory\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWords.data(), kWords.size());
    return static_cast<int>(ErrorCode::resources);
  }
}

// The status of `work`, which may throw anything but bad_alloc.
int run_checked(const std::function<int()>& work, const bool& json) {
  try {
    return work();
  } catch (const Error& error) {
    return failed(error, json);
  } catch (const Stopped&) {
    return failed(stopped_command(), json);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::length_error&) {  // a vector of more than any machine has
    return failed(Error(ErrorCode::resources, "out of memory: too large for any machine"), json);
  } catch (const std::exception& error) {
    return failed(Error(ErrorCode::internal,
                        fmt::format("internal fault: {}; please report it", error.what())),
                  json);
  }
}

bool takes_like(const Arguments& arguments, Command& command) {
  const Argument* argument = arguments.find(kLikeOption);
  return argument != nullptr && argument->target == Argument::Target(&command.like);
}

// Values of the words, and below them values of the files that they name.
Given give(const CommandRow& row, const Arguments& arguments, std::span<const std::string> words,
           Command& command) {
  Given given = read_words(arguments, words);
  if (const auto config = given.find("--config"); config != given.end()) {
    require_inputs_stay(arguments, given);
    const std::string path = config->second.front();
    given.erase(config);
    command.config = path;
    add_lower(given, read_config(path, arguments));
  }
  if (const auto like = given.find(kLikeOption);
      like != given.end() && takes_like(arguments, command)) {
    require_inputs_stay(arguments, given);
    add_like(arguments, given, given_of_file(like->second.front(), row.name, arguments));
  }
  assign(arguments, given);
  command.given = words_of(arguments, given);
  command.asked = command_spec(row.name, arguments, given);
  return given;
}

// The option for the result beside which a command keeps numbered pieces of work; null: it keeps none.
const Argument* kept_output(const Arguments& arguments) {
  const auto found =
      std::ranges::find(arguments.all(), Writes::kept_file,
                        [](const Argument& argument) { return argument.values.writes; });
  return found == arguments.all().end() ? nullptr : &*found;
}

// The file in which the command keeps its work; empty: it keeps none.
std::string kept_file(const Arguments& arguments, const Given& given) {
  const Argument* output = kept_output(arguments);
  const auto found = output == nullptr ? given.end() : given.find(output->name());
  return found == given.end() ? std::string() : io::run_file_of(found->second.front());
}

// Every command that keeps pieces of work has it.
void describe_max_time(Arguments& arguments, Command& command) {
  const Argument* output = kept_output(arguments);
  if (output == nullptr) return;
  const std::string group = arguments.group_for(output->group);
  arguments.option("--max-time", command.max_time,
                   "stop after so long: seconds, or as 90s, 15m, 2h; credo resume continues",
                   changing(Changes::nothing));
  arguments.group(group);
}

// A limit belongs to one process: the others of mpirun would wait for it.
void require_one_process(const Command& command) {
  if (command.max_time.empty()) return;
  throw Error(ErrorCode::usage, "a limit of time isn't for pieces of work over ranks", "--max-time",
              "leave it out, or run without mpirun");
}

// Runs the command, which must not read a file that it is going to replace.
int run_beside_inputs(const Arguments& arguments, const Given& given, Command& command,
                      Output& output) {
  const io::WrittenFiles written(files_written(arguments, given));
  require_output_places(arguments, given);
  if (!command.config.empty()) io::require_not_written(command.config);
  const StopScope scope(command.max_time.empty() ? current_stop() : stop_flag());
  if (!command.max_time.empty()) stop_after(parse_duration(command.max_time, "--max-time"));
  try {
    return command.run(output);
  } catch (const Stopped&) {
    const auto run_file = command.run_file();
    throw run_file ? stopped_run(*run_file) : stopped_work(kept_file(arguments, given));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    throw in_option_words(error, arguments);
  } catch (const std::bad_alloc& failure) {
    if (const auto run_file = command.run_file()) throw run_memory_error(failure, *run_file);
    throw;
  }
}

bool asks_for_help(std::span<const std::string> words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

// The values of options that stand beside --help: "--sampler nuts", "--sampler=nuts". The command need
// not have such options.
Chosen chosen_by(std::span<const std::string> words) {
  Chosen chosen;
  for (std::size_t k = 0; k < words.size() && words[k] != "--"; ++k) {
    if (!words[k].starts_with("--")) continue;
    const std::size_t equals = words[k].find('=');
    if (equals != std::string::npos)
      chosen[words[k].substr(0, equals)] = words[k].substr(equals + 1);
    else if (k + 1 < words.size() && !words[k + 1].starts_with("-"))
      chosen[words[k]] = words[k + 1];
  }
  return chosen;
}
}  // namespace

int run_words(std::span<const std::string> words, bool& json, Output& output, Ranks* ranks) {
  const int width = text_width(STDOUT_FILENO);
  json = std::find(words.begin(), words.end(), "--json") != words.end();
  if (words.empty())
    throw Error(ErrorCode::usage, "no command is given", {},
                "write credo COMMAND, as in credo sample model.stan --data data.json; "
                "credo --help lists the commands");
  if (words[0] == "--version") {
    output.print(CREDO_VERSION "\n");
  } else if (words[0] == "--help" || words[0] == "-h") {
    const bool names_command = words.size() > 1 && !words[1].starts_with("-");
    output.print(names_command ? command_help(find_command(words[1]), width) : program_help(width));
  } else {
    const CommandRow& row = find_command(words[0], words.subspan(1));
    if (asks_for_help(words)) {
      output.print(command_help(row, width, chosen_by(words.subspan(1))));
      return 0;
    }
    const auto command = row.make();
    const Arguments arguments = arguments_of(row, *command);
    const Given given = give(row, arguments, words.subspan(1), *command);
    json = command->json;
    command->ranks = ranks;
    if (ranks != nullptr) {
      require_one_process(*command);
      std::vector<std::string> all = command->given;  // with those of --config and --like
      all.insert(all.begin(), words[0]);
      go_over_ranks(row, all, *ranks);
    }
    return run_beside_inputs(arguments, given, *command, output);
  }
  return 0;
}

namespace {
// Control codes in the text of programs and files don't reach a terminal; files and pipes get the text unchanged.
std::string text_for(std::string_view text, int descriptor) {
  return isatty(descriptor) != 0 ? visible(text) : std::string(text);
}
}  // namespace

void Output::print(std::string_view text) {
  if (is_silent) return;
  if (captured != nullptr) {
    captured->append(text);
    return;
  }
  const std::string shown = text_for(text, STDOUT_FILENO);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}
void Output::note(std::string_view text) {
  if (is_silent) return;
  const std::string shown = text_for(text, STDERR_FILENO);
  if (note_sink) return note_sink(shown);
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}
void Output::finish() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error(ErrorCode::io, "standard output can't be written", "stdout", "is the disk full?");
  }
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow* row : commands()) names.emplace_back(row->name);
  return names;
}

namespace {
// Kind of a word in the place of the command, by its form, and the command that takes it.
struct Stranger {
  std::string_view what, command;
};
Stranger what_it_is(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, Stranger>, 4> kEndings{
      {{".stan", {"a Stan program", "sample"}},
       {".run", {"a run file", "resume"}},
       {".nc", {"a result", "summary"}},
       {".csv", {"a file of draws", "summary"}}}};
  for (const auto& [ending, stranger] : kEndings)
    if (word.ends_with(ending)) return stranger;
  if (word.starts_with("-")) return {"an option: those stand behind the command", "sample"};
  return {};
}

// Names of our commands in other programs.
std::string_view command_elsewhere(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kNames{
      {{"run", "sample"},
       {"fit", "sample"},
       {"mcmc", "sample"},
       {"sampling", "sample"},
       {"stansummary", "summary"},
       {"print", "summary"},
       {"compile", "check"},
       {"build", "check"},
       {"lint", "check"},
       {"continue", "resume"},
       {"convert", "export"},
       {"log_prob", "log-prob"},
       {"version", "--version"}}};
  if (infer::is_approximation(word)) return "approximate";
  if (infer::is_in_table(word)) return infer::climbs_to_modes(word) ? "optimize" : "sample";
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const auto& pair) { return pair.first == word; });
  return found == kNames.end() ? std::string_view() : found->second;
}
}  // namespace

const CommandRow& find_command(std::string_view name, std::span<const std::string> rest) {
  for (const CommandRow* row : commands())
    if (row->name == name) return *row;
  const std::string behind =
      rest.empty() ? std::string() : fmt::format(" {}", fmt::join(rest, " "));
  if (const Stranger stranger = what_it_is(name); !stranger.what.empty())
    throw Error(ErrorCode::usage,
                fmt::format("'{}' stands where the command should, but is {}", name, stranger.what),
                {},
                fmt::format("credo {} {}{}; credo --help lists the commands", stranger.command,
                            name, behind));
  std::string meant(command_elsewhere(name));
  if (meant.empty()) meant = nearest_name(name, command_names()).value_or("");
  throw Error(ErrorCode::usage, fmt::format("there is no command '{}'", name), {},
              meant.empty() ? "credo --help lists the commands"
              : behind.empty()
                  ? fmt::format("did you mean credo {}?", meant)
                  : fmt::format("did you mean {}? Then type: credo {}{}", meant, meant, behind));
}

Arguments arguments_of(const CommandRow& row, Command& command, Chosen chosen) {
  Arguments arguments(fmt::format("credo {}", row.name));
  arguments.choose(std::move(chosen));
  command.describe(arguments);
  describe_max_time(arguments, command);
  arguments.group(std::string(kEveryCommandGroup));
  arguments.flag("--json", command.json, "print JSON for machines", changing(Changes::nothing));
  arguments.option("--config", command.config,
                   "options by their names, as the members of a JSON object; what the command line "
                   "says wins",
                   changing(Changes::nothing, file_ending(".json")));
  arguments.flag("-h,--help", command.help, "this page", changing(Changes::nothing));
  return arguments;
}

void describe_like(Arguments& arguments, Command& command) {
  const std::string group = arguments.group_for("Repetition");
  arguments.option(
      kLikeOption, command.like,
      "take program, data and options of this file, FILE.nc of the same command or the "
      "FILE.run of one that was broken off, except for those given here",
      changing(Changes::nothing, any_file()));
  arguments.group(group);
}

int run_command_line(std::vector<std::string> words) {
  end_on_signals();
  bool json = false;
  try {
    keep_to_memory_limit();
    Output output;
    std::unique_ptr<Ranks> ranks;
    const int status = run_checked(
        [&] {
          ranks = open_ranks();
          if (ranks != nullptr && ranks->rank() > 0) return serve_rank(*ranks);
          const int result = run_words(words, json, output, ranks.get());
          output.finish();
          return result;
        },
        json);
    if (ranks != nullptr && ranks->rank() == 0) dismiss_ranks(*ranks);
    return status;
  } catch (const std::bad_alloc& failure) {
    return failed_for_memory(failure, json);
  }
}

}  // namespace credo::cli
