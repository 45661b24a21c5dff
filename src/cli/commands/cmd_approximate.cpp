// credo approximate, and under CmdStan's names credo laplace and credo pathfinder: weighted draws from a distribution that is fitted to
// the posterior.
#include "cli/run/run_command.hpp"

namespace credo::cli {
namespace {
template <const CommandRow& row>
std::unique_ptr<Command> make_approximation(std::string_view method) {
  return std::make_unique<RunCommand>(infer::Family::chains, row, method);
}

constexpr const char* kApproximationOutput =
    "With --output: the draws with their weights, as one NetCDF-4 file or a CSV file a chain. "
    "Every "
    "command reads them as any fit; figures use the weights. Standard output: the summary, and the "
    "verdict on the approximation, as text or JSON. Standard error: progress, with --json one "
    "event "
    "a line.";
}  // namespace

extern const CommandRow approximate_command{
    "approximate",
    "fit a distribution to the posterior: normals, flows, sites, conjugate factors",
    "  credo approximate model.stan --data data.json -o fit.nc\n"
    "  credo approximate model.stan --data data.json --method laplace --dof 5\n"
    "  credo approximate model.stan --data data.json --covariance low_rank --rank 10\n"
    "  credo approximate model.stan --data data.json --method all\n"
    "  credo approximate model.stan --data data.json -o fit.nc --then sample\n",
    [] { return make_approximation<approximate_command>("normal"); },
    kApproximationOutput,
    OverRanks::by_run};

extern const CommandRow laplace_command{
    "laplace",
    "credo approximate --method laplace: the normal at the mode",
    "  credo laplace model.stan --data data.json -o fit.nc\n",
    [] { return make_approximation<laplace_command>("laplace"); },
    kApproximationOutput,
    OverRanks::by_run};

extern const CommandRow pathfinder_command{
    "pathfinder",
    "credo approximate --method pathfinder: normals along climbs",
    "  credo pathfinder model.stan --data data.json -o start.nc\n",
    [] { return make_approximation<pathfinder_command>("pathfinder"); },
    kApproximationOutput,
    OverRanks::by_run};

}  // namespace credo::cli
