#include "cli/run/run_command.hpp"

#include <fmt/format.h>

#include "cli/run/compare_approximations.hpp"
#include "cli/run/run_facts.hpp"
#include "cli/run/runner.hpp"
#include "cli/term/stop.hpp"

namespace credo::cli {
namespace {
// "fit_sample.nc" for "fit.nc".
std::string result_of_sample(const std::string& file) {
  constexpr std::string_view kEnding = ".nc";
  const std::size_t length = file.size() - (file.ends_with(kEnding) ? kEnding.size() : 0);
  return file.substr(0, length) + "_sample" + std::string(kEnding);
}

// The document that a run prints, for the time in which the scope lives.
class CapturedOutput {
 public:
  explicit CapturedOutput(Output& output) : output_(output) { output_.captured = &text_; }
  ~CapturedOutput() { output_.captured = nullptr; }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  const std::string& text() const { return text_; }

 private:
  Output& output_;
  std::string text_;
};

// One JSON document of two: the first is a member of the second.
std::string within(std::string_view name, std::string first, std::string second) {
  first.erase(first.find_last_not_of('\n') + 1);
  second.erase(0, second.find('{') + 1);
  return fmt::format("{{\"{}\":{},{}", name, first, second);
}
}  // namespace

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
  run_->conduct.has_draws = !like_.empty() || own_options().contains("--draws");
  if (!like_.empty()) become_like(output);
  if (run_->sampler.sampler == kAllApproximations && !approximation_.empty())
    return compare_approximations(*run_, output, json);
  require_place_of_draws();
  if (prints_spec_) {
    output.print(to_json(run_->spec()) + "\n");
    return 0;
  }
  if (run_->conduct.then == "stop") return begin_run(*run_, output, json, ranks);
  return json ? run_both_as_one_document(output) : run_both(output);
}

bool RunCommand::goes_on() const { return run_->conduct.judged == verdict::Verdict::Word::bad; }

int RunCommand::run_both(Output& output) {
  const int status = begin_run(*run_, output, json, ranks);
  return goes_on() ? sample_from_approximation(output) : status;
}

int RunCommand::run_both_as_one_document(Output& output) {
  std::string first, second;
  int status = 0;
  {
    const CapturedOutput captured(output);
    status = begin_run(*run_, output, json, ranks);
    first = captured.text();
  }
  if (goes_on()) {
    const CapturedOutput captured(output);
    status = sample_from_approximation(output);
    second = captured.text();
  }
  output.print(second.empty() ? first
                              : within("approximation", std::move(first), std::move(second)));
  return status;
}

void RunCommand::require_place_of_draws() const {
  if (run_->conduct.then != "stop" && !is_netcdf(run_->out))
    throw Error(ErrorCode::usage,
                "the run that follows begins at the draws in the result, which is no NetCDF file",
                "--then", "add -o fit.nc");
}

// The posterior's draws by the default sampler from the draws of a poor approximation. The seed and all that concerns program, data
// and output stay.
int RunCommand::sample_from_approximation(Output& output) {
  RunSpec spec = run_->spec();
  spec.run = {.seed = spec.run.seed, .num_threads = spec.run.num_threads};
  spec.init = spec.output.file;
  spec.output.file = result_of_sample(spec.output.file);
  output.note(fmt::format("the approximation is poor: sampling from its draws, into {}\n",
                          spec.output.file));
  RunArguments run(infer::Family::chains);
  run.take(spec, run_->program.files);
  run.conduct.also_read = run_->conduct.also_read;
  return begin_run(run, output, json, ranks);
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
