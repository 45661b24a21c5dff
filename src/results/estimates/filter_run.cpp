#include "results/estimates/filter_run.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/netcdf_file.hpp"
#include "results/files/apart.hpp"

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

void write_filtered(NetcdfFile& file, const FilterRun& run) {
  const std::vector<FilteredTime>& times = run.repeats.front().times;
  const auto group = file.add_group("filtered");
  file.add_dimension(group, "time", ssize(times));
  const density::Variable& state = run.state.variables().front();
  std::vector<std::string> dimensions{"time"};
  if (!state.dims.empty()) {
    dimensions.push_back(state.name + "_dim_0");
    file.add_dimension(group, dimensions.back(), run.state.size());
  }
  std::vector<double> numbers(times.size());
  std::iota(numbers.begin(), numbers.end(), 1.0);
  file.write(
      file.add_variable(group, "time", {.dimensions = {"time"}, .kind = NetcdfFile::Kind::whole}),
      numbers);
  const auto write = [&](const std::string& name, auto values_of) {
    std::vector<double> values;
    for (const FilteredTime& t : times) {
      const auto at = values_of(t);
      values.insert(values.end(), at.begin(), at.end());
    }
    file.write(file.add_variable(group, state.name + name, {.dimensions = dimensions}), values);
  };
  write("_mean", [](const FilteredTime& t) { return std::span(t.mean); });
  write("_sd", [](const FilteredTime& t) { return std::span(t.sd); });
  const auto elements = static_cast<std::size_t>(run.state.size());
  const std::array<std::string, 3> names{"_q5", "_q50", "_q95"};
  for (std::size_t level = 0; level < names.size(); ++level)
    write(names[level], [&](const FilteredTime& t) {
      return std::span(t.quantiles).subspan(level * elements, elements);
    });
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

void write_evidence(NetcdfFile& file, const FilterRun& run) {
  const auto group = file.add_group("evidence");
  file.add_dimension(group, "repeat", ssize(run.repeats));
  std::vector<double> values;
  for (const infer::FilterResult& repeat : run.repeats) values.push_back(repeat.log_likelihood);
  file.write(file.add_variable(group, "log_likelihood", {.dimensions = {"repeat"}}), values);
}
}  // namespace

void write_filter(const FilterRun& run, const FitOutput& to) {
  try {
    run_apart([&] {
      NetcdfFile file(to.path, to.readers);
      write_attributes(file, run);
      write_filtered(file, run);
      write_stats(file, run);
      write_evidence(file, run);
      file.finish();
    });
  } catch (const Error&) {
    io::remove_left_parts(to.path);
    throw;
  } catch (const Stopped&) {
    io::remove_left_parts(to.path);
    throw;
  }
}

}  // namespace credo::results
