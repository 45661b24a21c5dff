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

// Of a square matrix that lies by columns.
std::vector<double> by_rows(std::span<const double> values, Index size) {
  std::vector<double> rows;
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j) rows.push_back(values[static_cast<std::size_t>(i + j * size)]);
  return rows;
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

void write_sums(NetcdfFile& file, const SmoothRun& run) {
  if (!run.sums) return;
  const auto group = file.add_group("sums");
  const std::string name = run.state.variables().front().name;
  const std::vector<std::string> one = state_dimensions(file, group, run.state);
  std::vector<std::string> both = one;
  for (const std::string& d : one) {
    file.add_dimension(group, d + "_next", run.state.size());
    both.push_back(d + "_next");
  }
  const auto write = [&](const std::string& what, const std::vector<std::string>& dimensions,
                         std::vector<double> infer::StateSums::*part) {
    for (const auto& [sums, ending] : {std::pair{&run.sums->mean, std::string()},
                                       std::pair{&run.sums->error, std::string("_error")}}) {
      std::vector<double> values = sums->*part;
      if (dimensions.size() == 2) values = by_rows(values, run.state.size());
      file.write(file.add_variable(group, name + what + ending, {.dimensions = dimensions}),
                 values);
    }
  };
  write("_sum", one, &infer::StateSums::states);
  write("_squares", both, &infer::StateSums::squares);
  write("_neighbours", both, &infer::StateSums::neighbours);
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
    write_sums(file, run);
    write_distinct(file, run);
    write_outcomes(file, run.outcomes, ssize(run.times));
    write_likelihoods(file, log_likelihoods);
  });
}

}  // namespace credo::results
