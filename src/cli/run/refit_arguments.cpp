#include "cli/run/refit_arguments.hpp"

#include <fmt/format.h>

#include "cli/options/field_options.hpp"
#include "cli/options/sampler_arguments.hpp"
#include "cli/run/repeat.hpp"
#include "density/model.hpp"
#include "infer/core/table.hpp"
#include "results/files/start_points.hpp"

namespace credo::cli {
namespace {

// Options for a fit without those of its run.
infer::SampleOptions plain_options(const Fit& fit) {
  infer::SampleOptions run;
  run.num_chains = fit.num_chains();
  run.num_warmup = run.num_draws = fit.num_draws(false);
  run.kernel = infer::find_sampler(run.sampler).options();
  return run;
}
}  // namespace

void RefitArguments::describe(Arguments& arguments) {
  arguments.group("Each fit");
  arguments.option("--chains", num_chains_, "chains; 0: as many as the fit has",
                   from_to(0, 1'000'000));
  arguments.option("--warmup", num_warmup_, "warm-up transitions; -1: as many as the fit has",
                   from_to(-1, 1'000'000'000));
  arguments.option("--draws", num_draws_, "draws of each chain; 0: as many as the fit has",
                   from_to(0, 1'000'000'000));
  arguments.option("--threads", num_threads,
                   "threads; 0: one for each processor. Never changes a number",
                   changing(Changes::nothing, range_of(infer::SampleOptions{}, "num_threads")));
  arguments.option("--seed", seed, "seed of all random numbers");
  arguments.option("-o,--output", file,
                   "the result: FILE.nc (NetCDF-4) or FILE.json; finished fits are stored beside "
                   "it, and credo resume OUTPUT.run continues with them",
                   output_file("*", Writes::kept_file));
  arguments.flag("--quiet", is_quiet, "no progress", changing(Changes::nothing));
}

infer::SampleOptions RefitArguments::options_for(const Fit& fit,
                                                 const density::Model& model) const {
  infer::SampleOptions run = fit.origin().spec.empty()
                                 ? plain_options(fit)
                                 : parse_run_spec(fit.origin().spec, fit.origin().source).run;
  if (num_chains_ > 0) run.num_chains = num_chains_;
  if (num_warmup_ >= 0) run.num_warmup = num_warmup_;
  if (num_draws_ > 0) run.num_draws = num_draws_;
  run.save_warmup = false, run.states.clear();
  run.num_threads = num_threads;
  run.init.clear(), run.inv_metric.clear();
  if (infer::find_sampler(run.sampler).family == infer::Family::chains) {
    run.init = points_from(fit, model, run.num_chains);
    const auto& chains = fit.result().chains;
    if (!chains.empty() && !chains[0].inv_metric.empty())
      run.inv_metric = inv_metric_from(fit, model);
  }
  validate_run(run);
  return run;
}

}  // namespace credo::cli
