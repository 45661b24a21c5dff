// credo optimize: the mode of a Stan program with its data, by climbs from several starts.
#include "cli/run/run_command.hpp"

namespace credo::cli {
extern const CommandRow optimize_command{
    "optimize",
    "find the mode: by L-BFGS, Newton's method, Fisher scoring, gradient steps or annealing",
    "  credo optimize model.stan --data data.json\n"
    "  credo optimize model.stan --data data.json --jacobian -o mode.nc\n"
    "  credo optimize model.stan --data data.json --method adam --batch 500\n",
    []() -> std::unique_ptr<Command> {
      return std::make_unique<RunCommand>(infer::Family::optimum, optimize_command);
    },
    "With --output: the modes, one draw a start, as one NetCDF-4 file or a CSV file a start. "
    "Standard "
    "output: how the climbs ended, and the best mode, as text or JSON. Standard error: progress, "
    "with "
    "--json one event a line.",
    OverRanks::by_run};

}  // namespace credo::cli
