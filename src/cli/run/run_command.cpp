#include "cli/run/run_command.hpp"

#include <fmt/format.h>

#include "cli/run/run_facts.hpp"
#include "cli/run/runner.hpp"
#include "cli/term/stop.hpp"

namespace credo::cli {

void RunCommand::describe(Arguments& arguments) {
  run_->describe(arguments);
  arguments.group("Repetition");
  arguments.option(kLikeOption, like_,
                   "begin as the run of this result or run file began, with its program, data "
                   "and options, except options given here; MODEL may be left out",
                   any_file());
  arguments.stands_for_positionals(kLikeOption);
  arguments.flag("--print-spec", prints_spec_,
                 "don't run: print the run specification, which credo run takes");
}

int RunCommand::run(Output& output) {
  const StopScope scope(stop_flag());
  for (const std::string& path : {config, like_})
    if (!path.empty()) run_->conduct.also_read.push_back(path);
  if (const Given own = own_options(); own.contains("--scheme") && own.contains("--sampler"))
    throw Error(ErrorCode::usage, "a scheme names its samplers itself", "--sampler",
                "leave out one of --sampler and --scheme");
  if (!like_.empty()) become_like(output);
  if (!prints_spec_) return begin_run(*run_, output, json, ranks);
  output.print(to_json(run_->spec()) + "\n");
  return 0;
}

void RunCommand::become_like(Output& output) {
  const auto fit = open_fit(std::span(&like_, 1));
  if (fit->origin().arithmetic != arithmetic() && !run_->out.quiet && !json)
    output.note(fmt::format("{} was made by {}, this is {}: the draws may differ\n", like_,
                            fit->origin().arithmetic, arithmetic()));
  auto again = std::make_unique<RunArguments>(family_, approximation_);
  again->conduct.also_read = run_->conduct.also_read;
  again->take_like(*fit, own_options());
  run_ = std::move(again);
}

// Options of the run on this command line, without those of the command itself.
Given RunCommand::own_options() {
  const Arguments arguments = arguments_of(row_, *this);
  Given own = read_words(arguments, given);
  for (const char* name : {kLikeOption, "--json", "--config", "--print-spec"}) own.erase(name);
  return own;
}

}  // namespace credo::cli
