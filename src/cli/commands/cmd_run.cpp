// credo run: what a run specification says, or a result's own.
#include <unistd.h>

#include "cli/options/field_options.hpp"
#include "cli/run/runner.hpp"
#include "cli/term/stop.hpp"
#include "io/file.hpp"

namespace credo::cli {
namespace {

class Run final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("spec", path_, "run specification (JSON), as --print-spec prints it",
                         file_ending(".json"));
    arguments.option("-o,--output", run_.out.file, "result, in the place of the specification's",
                     output_file("*", Writes::draws));
    arguments.option("--threads", run_.options.num_threads, "threads; 0: as the specification says",
                     range_of(infer::SampleOptions{}, "num_threads"));
    arguments.flag("--strict", run_.out.strict, "exit status 8 if the verdict on the run is bad");
    arguments.option("--max-time", run_.conduct.max_time,
                     "stop after so long: seconds, or as 90s, 15m, 2h; credo resume continues");
    field_option(arguments, run_.out, "quiet");
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    run_.conduct.also_read = {path_};
    if (!config.empty()) run_.conduct.also_read.push_back(config);
    const bool is_there = access(path_.c_str(), F_OK) == 0;
    if (is_there && (path_.ends_with(".nc") || path_.ends_with(".run")))
      throw Error(ErrorCode::usage, "this is a result, or a run that hasn't ended", path_,
                  path_.ends_with(".nc") ? "repeat it: credo sample --like " + path_
                                         : "resume it: credo resume " + path_);
    if (path_.ends_with(".stan"))
      throw Error(ErrorCode::usage, "credo run takes a run specification (JSON)", path_,
                  "a program is run by credo sample " + path_);
    const RunSpec spec = parse_run_spec(io::read_file(path_), path_);
    if (spec.model.model.empty())
      throw Error(ErrorCode::usage, "the specification names no program", path_,
                  "write \"model\": {\"program\": \"model.stan\"}");
    run_.take_below(spec);
    return begin_run(run_, output, json, ranks);
  }

  std::optional<std::string> run_file() const override { return run_.run_file(); }

 private:
  RunArguments run_;
  std::string path_;
};
}  // namespace

extern const CommandRow run_command{
    "run",
    "run what a specification says: model, algorithm, options, output",
    "  credo sample model.stan --data data.json -o fit.nc --print-spec > spec.json\n"
    "  credo run spec.json\n"
    "  credo run spec.json -o other.nc\n",
    make_command<Run>,
    "What `credo sample` writes for the same options: the result, the run file until it is "
    "complete; standard output: the summary; standard error: progress.",
    OverRanks::by_run};

}  // namespace credo::cli
