// credo sample: draws from the posterior of a Stan program with its data.
#include "cli/sample_run.hpp"

namespace credo::cli {
namespace {

class Sample final : public Command {
 public:
  void describe(Arguments& arguments) override { run_.describe(arguments); }
  int run(Output& output) override { return run_.begin(given, output, json); }

 private:
  SampleRun run_;
};
}  // namespace

const CommandRow sample_command{
    "sample", "draw from the posterior, with the No-U-Turn sampler or another",
    "  credo sample model.stan --data data.json\n"
    "  credo sample model.stan --data data.json --chains 4 --warmup 1000 --draws 1000 --seed 1 -o "
    "fit.nc\n"
    "  credo sample model.stan --data data.json --metric dense_e --adapt-delta 0.95 --json\n"
    "  credo sample model.stan --data data.json --sampler slice\n",
    make_command<Sample>,
    "With --output: the draws, as one NetCDF-4 file or a CSV file a chain, renamed into place when "
    "complete; until then OUTPUT.run, from which `credo resume` goes on. Standard output: the "
    "summary, as text or JSON. Standard error: progress, with --json one event a line."};

}  // namespace credo::cli
