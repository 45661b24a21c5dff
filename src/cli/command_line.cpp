// The command line: the only file that knows CLI11.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {

class AppArguments final : public Arguments {
 public:
  explicit AppArguments(CLI::App& app) : app_(app) {}
  void positional(const std::string& name, std::string& target, const std::string& help) override {
    app_.add_option(name, target, help)->required();
  }
  void optional_positional(const std::string& name, std::string& target,
                           const std::string& help) override {
    app_.add_option(name, target, help);
  }
  void positionals(const std::string& name, std::vector<std::string>& target,
                   const std::string& help) override {
    app_.add_option(name, target, help)->required();
  }
  void option(const std::string& names, std::string& target, const std::string& help) override {
    app_.add_option(names, target, help)->capture_default_str();
  }
  void option(const std::string& names, std::vector<std::string>& target,
              const std::string& help) override {
    app_.add_option(names, target, help)->take_all();
  }
  void option(const std::string& names, double& target, const std::string& help) override {
    app_.add_option(names, target, help)->capture_default_str();
  }
  void option(const std::string& names, Index& target, const std::string& help) override {
    app_.add_option(names, target, help)->capture_default_str();
  }
  void option(const std::string& names, std::uint64_t& target, const std::string& help) override {
    app_.add_option(names, target, help)->capture_default_str();
  }
  void flag(const std::string& names, bool& target, const std::string& help) override {
    app_.add_flag(names, target, help);
  }

 private:
  CLI::App& app_;
};

constexpr std::string_view kFooter =
    "exit status: 0 done, 1 internal fault, 2 wrong option, 3 wrong program, 4 wrong data, 5 "
    "evaluation failed,\n"
    "             6 file not readable or writable, 7 interrupted, 8 the verdict is bad (--strict)";

void print_error(const Error& error, bool json) {
  if (!json) {
    std::string text = error.where().empty() ? "" : error.where() + ": ";
    text += "error: " + error.message() + "\n";
    if (!error.hint().empty()) text += "  hint: " + error.hint() + "\n";
    std::fputs(text.c_str(), stderr);
    return;
  }
  io::JsonWriter writer;
  writer.begin_object().key("error").begin_object();
  writer.key("message").string(error.message()).key("where").string(error.where());
  writer.key("hint").string(error.hint()).key("status").integer(static_cast<int>(error.code()));
  writer.end_object().end_object();
  std::fputs((writer.text() + "\n").c_str(), stdout);
}

int run_checked(Command& command, Output& output) {
  try {
    const int status = command.run(output);
    output.finish();
    return status;
  } catch (const Error& error) {
    print_error(error, command.json);
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    print_error(Error(ErrorCode::evaluation, "out of memory"), command.json);
    return static_cast<int>(ErrorCode::evaluation);
  } catch (const std::exception& error) {
    print_error(Error(ErrorCode::internal,
                      fmt::format("internal fault: {}; please report it", error.what())),
                command.json);
    return static_cast<int>(ErrorCode::internal);
  }
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return app.exit(error);  // --help
  fmt::print(stderr, "error: {}\n  hint: {} --help lists the options\n", error.what(),
             app.get_name());
  return static_cast<int>(ErrorCode::usage);
}
}  // namespace

void Output::print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void Output::note(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }
void Output::finish() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error(ErrorCode::io, "standard output can't be written", "stdout", "is the disk full?");
  }
}

void parse_arguments(const std::function<void(Arguments&)>& describe,
                     std::vector<std::string> words) {
  CLI::App app;
  bool json = false;
  app.add_flag("--json", json);
  AppArguments arguments(app);
  describe(arguments);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::usage, error.what());
  }
}

int run_command_line(std::vector<std::string> arguments) {
  CLI::App app("Bayesian inference in one program: Stan models without a compiler", "credo");
  app.set_version_flag("--version", CREDO_VERSION);
  app.require_subcommand(1);
  app.footer(std::string(kFooter));
  std::vector<std::unique_ptr<Command>> made;
  std::vector<CLI::App*> subs;
  for (const CommandRow* row : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(row->name), std::string(row->summary));
    sub->footer(fmt::format("examples:\n{}\n{}", row->examples, kFooter));
    made.push_back(row->make());
    sub->add_flag("--json", made.back()->json, "print JSON for machines");
    AppArguments options(*sub);
    made.back()->describe(options);
    subs.push_back(sub);
  }
  const std::vector<std::string> given = arguments;
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    return usage_error(chosen.empty() ? app : *chosen[0], error);
  }
  Output output;
  for (std::size_t k = 0; k < subs.size(); ++k) {
    if (!subs[k]->parsed()) continue;
    made[k]->given.assign(given.begin() + 1, given.end());
    return run_checked(*made[k], output);
  }
  return static_cast<int>(ErrorCode::internal);
}

}  // namespace credo::cli
