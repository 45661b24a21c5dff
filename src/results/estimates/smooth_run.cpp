#include "results/estimates/smooth_run.hpp"

#include "results/estimates/state_rows.hpp"

namespace credo::results {
namespace {
using io::NetcdfFile;

void write_smooth_attributes(NetcdfFile& file, const SmoothRun& run) {
  const auto root = file.root();
  file.set(root, "program", run.program);
  file.set(root, "method", run.method);
  file.set(root, "version", std::string(CREDO_VERSION));
  file.set_real(root, "log_likelihood", run.likelihood.log_likelihood);
  file.set(root, "seed", std::to_string(run.options.seed));
  if (run.exact) return;
  file.set_real(root, "log_likelihood_error", run.likelihood.error);
  file.set(root, "num_particles", run.options.num_particles);
  file.set(root, "resampling", run.options.resampling);
  file.set_real(root, "resample_below", run.options.resample_below);
}

void write_paths(NetcdfFile& file, const SmoothRun& run) {
  if (run.num_paths == 0) return;
  const auto group = file.add_group("posterior");
  file.add_dimension(group, "chain", ssize(run.repeats));
  file.add_dimension(group, "draw", run.num_paths);
  file.add_dimension(group, "time", ssize(run.times));
  std::vector<std::string> dimensions{"chain", "draw", "time"};
  for (const std::string& d : state_dimensions(file, group, run.state)) dimensions.push_back(d);
  std::vector<double> states;
  for (const infer::SmootherResult& r : run.repeats)
    states.insert(states.end(), r.paths.begin(), r.paths.end());
  file.write(
      file.add_variable(group, run.state.variables().front().name, {.dimensions = dimensions}),
      states);
}

void write_distinct(NetcdfFile& file, const SmoothRun& run) {
  if (run.exact) return;
  const auto group = file.add_group("smooth_stats");
  file.add_dimension(group, "repeat", ssize(run.repeats));
  file.add_dimension(group, "time", ssize(run.times));
  std::vector<double> values;
  for (const infer::SmootherResult& r : run.repeats)
    for (const infer::SmoothedTime& t : r.times)
      values.push_back(static_cast<double>(t.num_distinct));
  file.write(file.add_variable(group, "num_distinct",
                               {.dimensions = {"repeat", "time"}, .kind = NetcdfFile::Kind::whole}),
             values);
}
}  // namespace

void write_smooth(const SmoothRun& run, const FitOutput& to) {
  std::vector<double> log_likelihoods;
  for (const infer::SmootherResult& r : run.repeats) log_likelihoods.push_back(r.log_likelihood);
  write_netcdf_apart(to, [&](NetcdfFile& file) {
    write_smooth_attributes(file, run);
    write_state_rows(
        file, "smoothed",
        {run.state, ssize(run.times), [&](Index t) -> StateRow {
           const infer::CombinedTime& at = run.times[static_cast<std::size_t>(t)];
           return {.mean = at.mean, .sd = at.sd, .quantiles = at.quantiles, .error = at.error};
         }});
    write_paths(file, run);
    write_distinct(file, run);
    write_likelihoods(file, log_likelihoods);
  });
}

}  // namespace credo::results
