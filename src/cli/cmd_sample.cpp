// credo sample: draws from the posterior of a Stan program with its data.
#include <fmt/format.h>

#include "cli/memory.hpp"
#include "cli/run_facts.hpp"
#include "cli/sample_run.hpp"
#include "cli/stop.hpp"

namespace credo::cli {
namespace {

class Sample final : public Command {
 public:
  void describe(Arguments& arguments) override {
    run_->describe(arguments);
    arguments.group("Repetition");
    arguments.option(kLikeOption, like_,
                     "begin as the run of this result or run file began, with its program, data "
                     "and options, but for options given here; MODEL may be left out",
                     any_file());
    arguments.stands_for_positionals(kLikeOption);
    arguments.flag("--print-spec", prints_spec_,
                   "don't run: print the run specification, which credo run takes");
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    for (const std::string& path : {config, like_})
      if (!path.empty()) run_->also_read.push_back(path);
    if (const Given own = own_options(); own.contains("--scheme") && own.contains("--sampler"))
      throw Error(ErrorCode::usage, "a scheme names its samplers itself", "--sampler",
                  "leave out one of --sampler and --scheme");
    try {
      if (!like_.empty()) become_like(output);
      if (!prints_spec_) return run_->begin(output, json);
      output.print(to_json(run_->spec()) + "\n");
      return 0;
    } catch (const Stopped&) {
      throw stopped_run(run_->run_file());
    } catch (const std::bad_alloc& failure) {
      throw run_memory_error(failure, run_->run_file());
    }
  }

 private:
  void become_like(Output& output) {
    const auto fit = open_fit(std::span(&like_, 1));
    if (fit->origin().arithmetic != arithmetic() && !run_->quiet && !json)
      output.note(fmt::format("{} was made by {}, this is {}: the draws may differ\n", like_,
                              fit->origin().arithmetic, arithmetic()));
    auto again = std::make_unique<SampleRun>();
    again->also_read = run_->also_read;
    again->take_like(*fit, own_options());
    run_ = std::move(again);
  }

  // Of this command line; what the command itself takes isn't the run's.
  Given own_options() {
    const Arguments arguments = arguments_of(sample_command, *this);
    Given own = read_words(arguments, given);
    for (const char* name : {kLikeOption, "--json", "--config", "--print-spec"}) own.erase(name);
    return own;
  }

  std::unique_ptr<SampleRun> run_ = std::make_unique<SampleRun>();
  std::string like_;
  bool prints_spec_ = false;
};
}  // namespace

const CommandRow sample_command{
    "sample", "draw from the posterior, with the No-U-Turn sampler or another",
    "  credo sample model.stan --data data.json\n"
    "  credo sample model.stan --data data.json --chains 4 --warmup 1000 --draws 1000 --seed 1 -o "
    "fit.nc\n"
    "  credo sample model.stan --data data.json --metric dense_e --adapt-delta 0.95 --json\n"
    "  credo sample model.stan --data data.json --sampler slice\n"
    "  credo sample model.stan --data data.json --scheme scheme.json\n"
    "  credo sample --config options.json --draws 5000\n"
    "  credo sample --like fit.nc --seed 2 -o again.nc\n",
    make_command<Sample>,
    "With --output: the draws, as one NetCDF-4 file or a CSV file a chain, renamed into place when "
    "complete, where they replace what has their names; until then OUTPUT.run, from which `credo "
    "resume` goes on. Standard output: the "
    "summary, as text or JSON. Standard error: progress, with --json one event a line."};

}  // namespace credo::cli
