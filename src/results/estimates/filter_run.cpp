#include "results/estimates/filter_run.hpp"

#include "results/estimates/state_rows.hpp"

namespace credo::results {
namespace {
using infer::FilteredTime;
using io::NetcdfFile;

void write_attributes(NetcdfFile& file, const FilterRun& run) {
  const auto root = file.root();
  file.set(root, "program", run.program);
  file.set(root, "method", run.method);
  file.set(root, "version", std::string(CREDO_VERSION));
  file.set_real(root, "log_likelihood", run.likelihood.log_likelihood);
  if (run.exact) return;
  file.set_real(root, "log_likelihood_error", run.likelihood.error);
  file.set(root, "num_particles", run.options.num_particles);
  file.set(root, "resampling", run.options.resampling);
  file.set_real(root, "resample_below", run.options.resample_below);
  file.set(root, "seed", std::to_string(run.options.seed));
}

void write_stats(NetcdfFile& file, const FilterRun& run) {
  const auto group = file.add_group("filter_stats");
  file.add_dimension(group, "repeat", ssize(run.repeats));
  file.add_dimension(group, "time", ssize(run.repeats.front().times));
  const auto write = [&](const std::string& name, NetcdfFile::Kind kind, auto value_of) {
    std::vector<double> values;
    for (const infer::FilterResult& repeat : run.repeats)
      for (const FilteredTime& t : repeat.times) values.push_back(static_cast<double>(value_of(t)));
    file.write(file.add_variable(group, name, {.dimensions = {"repeat", "time"}, .kind = kind}),
               values);
  };
  using enum NetcdfFile::Kind;
  write("log_increment", real, [](const FilteredTime& t) { return t.log_increment; });
  if (run.exact) return;
  write("ess", real, [](const FilteredTime& t) { return t.ess; });
  write("max_weight", real, [](const FilteredTime& t) { return t.max_weight; });
  write("resampled", flag, [](const FilteredTime& t) { return t.resampled; });
  write("num_roots", whole, [](const FilteredTime& t) { return t.num_roots; });
}

void write_regimes(NetcdfFile& file, const FilterRun& run) {
  if (run.regimes.empty()) return;
  const auto group = file.add_group("regimes");
  file.add_dimension(group, "time", ssize(run.regimes));
  file.add_dimension(group, "regime", ssize(run.regimes.front()));
  std::vector<double> all;
  for (const std::vector<double>& at : run.regimes) all.insert(all.end(), at.begin(), at.end());
  file.write(file.add_variable(group, "probability", {.dimensions = {"time", "regime"}}), all);
}

}  // namespace

void write_filter(const FilterRun& run, const FitOutput& to) {
  const std::vector<FilteredTime>& times = run.repeats.front().times;
  std::vector<double> log_likelihoods;
  for (const infer::FilterResult& repeat : run.repeats)
    log_likelihoods.push_back(repeat.log_likelihood);
  write_netcdf_apart(to, [&](NetcdfFile& file) {
    write_attributes(file, run);
    write_state_rows(file, "filtered",
                     {run.state, ssize(times), [&](Index t) -> StateRow {
                        const FilteredTime& at = times[static_cast<std::size_t>(t)];
                        return {.mean = at.mean, .sd = at.sd, .quantiles = at.quantiles};
                      }});
    write_regimes(file, run);
    write_stats(file, run);
    write_likelihoods(file, log_likelihoods);
  });
}

}  // namespace credo::results
