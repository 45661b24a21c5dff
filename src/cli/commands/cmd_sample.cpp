// credo sample: draws from the posterior of a Stan program with its data.
#include "cli/run/run_command.hpp"

namespace credo::cli {
extern const CommandRow sample_command{
    "sample",
    "draw from the posterior, with the No-U-Turn sampler or another",
    "  credo sample model.stan --data data.json\n"
    "  credo sample model.stan --data data.json --chains 4 --warmup 1000 --draws 1000 --seed 1 -o "
    "fit.nc\n"
    "  credo sample model.stan --data data.json --metric dense_e --adapt-delta 0.95 --json\n"
    "  credo sample model.stan --data data.json --sampler slice\n"
    "  credo sample model.stan --data data.json --scheme scheme.json\n"
    "  credo sample --config options.json --draws 5000\n"
    "  credo sample --like fit.nc --seed 2 -o again.nc\n",
    []() -> std::unique_ptr<Command> {
      return std::make_unique<RunCommand>(infer::Family::chains, sample_command);
    },
    "With --output: the draws, as one NetCDF-4 file or a CSV file a chain, renamed into place when "
    "complete, where they replace files with their names; until then OUTPUT.run, from which `credo "
    "resume` continues. Standard output: the "
    "summary, as text or JSON. Standard error: progress, with --json one event a line.",
    OverRanks::by_run};

}  // namespace credo::cli
