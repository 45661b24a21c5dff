// credo resume: continues a run of a sampler, or with the work of another command, that was stopped or killed.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/options/field_options.hpp"
#include "cli/run/runner.hpp"
#include "cli/term/stop.hpp"

namespace credo::cli {
extern const CommandRow resume_command;

namespace {

class Resume final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("run", path_, "run file, OUTPUT.run", file_ending(".run"));
    arguments.option("--draws", num_draws_,
                     "all transitions of each chain after warm-up, those it has included: a run "
                     "that is stopped or kept (--keep-run) continues to so many, a running one is "
                     "extended to them; 0: as it was begun",
                     range_of(infer::SampleOptions{}, "num_draws"));
    arguments.option("--threads", run_.options.num_threads, "threads; 0: as the run was begun",
                     range_of(infer::SampleOptions{}, "num_threads"));
    arguments.flag("--strict", run_.out.strict, "exit status 8 if the verdict on the run is bad");
    arguments.option("--max-time", run_.conduct.max_time,
                     "stop after so long: seconds, or as 90s, 15m, 2h");
    arguments.flag("--keep-run", run_.conduct.keeps_run,
                   "keep the run file when the run is done, to resume it later");
    arguments.flag("--live", run_.conduct.is_live,
                   "serve a page of this machine on which the run can be watched, and stopped");
    field_option(arguments, run_.out, "quiet");
    arguments.flag("--other-arithmetic", run_.conduct.other_arithmetic,
                   "resume although the version, the C library or the instructions are others: the "
                   "draws that follow are those of neither program, and the result says so");
  }
  int run(Output& output) override {
    const StopScope scope(stop_flag());
    require_unfinished();
    const std::string spec = results::is_run_file(path_) ? kept_spec(path_) : "";
    if (results::is_specification(spec))
      return resume_work(io::parse_json_value(spec, path_), output);
    if (num_draws_ > 0) run_.conduct.more_draws = num_draws_;
    return resume_run(path_, run_, output, json, ranks);
  }

  std::optional<std::string> run_file() const override { return run_.run_file(); }

 private:
  // Names the result where one is given, or where its run file was removed because it is complete.
  void require_unfinished() const {
    constexpr const char* kMore =
        "it needs no resuming; runs that were begun with --keep-run can be extended: credo "
        "resume OUTPUT.run --draws N";
    if (results::is_run_file(path_)) return;
    const bool is_there = access(path_.c_str(), F_OK) == 0;
    if (is_there && results::is_run_file(io::run_file_of(path_)))
      throw Error(ErrorCode::usage, "this is the result of a run, not its run file", path_,
                  "credo resume " + io::run_file_of(path_));
    if (is_there && !path_.ends_with(kEnding))
      throw Error(ErrorCode::usage, "this is a finished result", path_, kMore);
    const std::string result = result_of_run_file(path_);
    if (!is_there && path_.ends_with(kEnding) && access(result.c_str(), F_OK) == 0)
      throw Error(ErrorCode::io,
                  fmt::format("No such file: {} is complete, and its run file was removed", result),
                  path_, kMore);
  }
  static constexpr std::string_view kEnding = ".run";

  // The command that began the work, with its options and some of this one.
  int resume_work(const io::JsonValue& spec, Output& output) {
    const CommandRow& row = find_command(spec.find("question")->as_string("question"));
    const auto command = row.make();
    const Arguments arguments = arguments_of(row, *command);
    Given all = given_of_spec(spec, arguments);
    all["--output"] = {result_of_run_file(path_)};
    for (const auto& [name, texts] : read_words(arguments_of(resume_command, *this), given)) {
      if (name == "run") continue;
      const bool is_of_both = name == "--threads" || name == "--quiet" || name == "--strict" ||
                              name == "--json" || name == "--max-time";
      if (!is_of_both || arguments.find(name) == nullptr)
        throw Error(ErrorCode::usage,
                    fmt::format("isn't for the work of credo {}, which {} holds", row.name, path_),
                    name, fmt::format("leave {} out", name));
      all[name] = texts;
    }
    std::vector<std::string> words = words_of(arguments, all);
    words.insert(words.begin(), std::string(row.name));
    return run_words(words, json, output, ranks);
  }

  RunArguments run_;
  std::string path_;
  Index num_draws_ = 0;
};
}  // namespace

extern const CommandRow resume_command{
    "resume",
    "continue a run that was stopped or killed, or add draws; the draws are those of "
    "one without a break",
    "  credo resume fit.nc.run\n"
    "  credo resume fit.nc.run --draws 4000\n"
    "  credo resume filtered.nc.run --threads 4\n",
    make_command<Resume>,
    "What the command that was broken off would have written: the result beside the run file, "
    "which is removed then; standard output: its answer; standard error: progress.",
    OverRanks::by_run};

}  // namespace credo::cli
