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
    run_.describe(arguments);
    arguments.group("Repetition");
    arguments.option(kLikeOption, like_,
                     "begin as the run of this result or run file began, with its program, data "
                     "and options, but for options given here; MODEL may be left out",
                     any_file());
    arguments.stands_for_positionals(kLikeOption);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    for (const std::string& path : {config, like_})
      if (!path.empty()) run_.also_read.push_back(path);
    try {
      return like_.empty() ? run_.begin(given, output, json) : repeat(output);
    } catch (const Stopped&) {
      throw stopped_run((like_.empty() ? run_ : again_).run_file());
    } catch (const std::bad_alloc& failure) {
      throw run_memory_error(failure, (like_.empty() ? run_ : again_).run_file());
    }
  }

 private:
  int repeat(Output& output) {
    const auto fit = open_fit(std::span(&like_, 1));
    if (fit->origin().arithmetic != arithmetic() && !run_.quiet && !json)
      output.note(fmt::format("{} was made by {}, this is {}: the draws may differ\n", like_,
                              fit->origin().arithmetic, arithmetic()));
    again_.also_read = run_.also_read;
    return again_.repeat(repeated_run(*fit, given), output, json);
  }

  SampleRun run_, again_;  // again_: of --like
  std::string like_;
};
}  // namespace

const CommandRow sample_command{
    "sample", "draw from the posterior, with the No-U-Turn sampler or another",
    "  credo sample model.stan --data data.json\n"
    "  credo sample model.stan --data data.json --chains 4 --warmup 1000 --draws 1000 --seed 1 -o "
    "fit.nc\n"
    "  credo sample model.stan --data data.json --metric dense_e --adapt-delta 0.95 --json\n"
    "  credo sample model.stan --data data.json --sampler slice\n"
    "  credo sample --config options.json --draws 5000\n"
    "  credo sample --like fit.nc --seed 2 -o again.nc\n",
    make_command<Sample>,
    "With --output: the draws, as one NetCDF-4 file or a CSV file a chain, renamed into place when "
    "complete, where they replace what has their names; until then OUTPUT.run, from which `credo "
    "resume` goes on. Standard output: the "
    "summary, as text or JSON. Standard error: progress, with --json one event a line."};

}  // namespace credo::cli
