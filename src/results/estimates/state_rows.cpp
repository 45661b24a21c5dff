#include "results/estimates/state_rows.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "results/files/apart.hpp"

namespace credo::results {
using io::NetcdfFile;

std::vector<std::string> state_dimensions(NetcdfFile& file, NetcdfFile::Group group,
                                          const density::Layout& state) {
  const density::Variable& variable = state.variables().front();
  if (variable.dims.empty()) return {};
  const std::string name = variable.name + "_dim_0";
  file.add_dimension(group, name, state.size());
  return {name};
}

void write_state_rows(NetcdfFile& file, const std::string& name, const StateRows& rows) {
  const auto group = file.add_group(name);
  file.add_dimension(group, "time", rows.num_times);
  std::vector<std::string> dimensions{"time"};
  for (const std::string& d : state_dimensions(file, group, rows.state)) dimensions.push_back(d);
  std::vector<double> numbers(static_cast<std::size_t>(rows.num_times));
  std::iota(numbers.begin(), numbers.end(), static_cast<double>(rows.first_time + 1));
  file.write(
      file.add_variable(group, "time", {.dimensions = {"time"}, .kind = NetcdfFile::Kind::whole}),
      numbers);
  const auto write = [&](const std::string& what, auto values_of) {
    std::vector<double> values;
    for (Index t = 0; t < rows.num_times; ++t) {
      const std::span<const double> at = values_of(rows.row(t));
      values.insert(values.end(), at.begin(), at.end());
    }
    if (!values.empty())
      file.write(file.add_variable(group, rows.state.variables().front().name + what,
                                   {.dimensions = dimensions}),
                 values);
  };
  write("_mean", [](const StateRow& r) { return r.mean; });
  write("_sd", [](const StateRow& r) { return r.sd; });
  const auto elements = static_cast<std::size_t>(rows.state.size());
  const std::array<std::string, 3> names{"_q5", "_q50", "_q95"};
  for (std::size_t level = 0; level < names.size(); ++level)
    write(names[level],
          [&](const StateRow& r) { return r.quantiles.subspan(level * elements, elements); });
  write("_mean_error", [](const StateRow& r) { return r.error; });
}

void write_outcomes(NetcdfFile& file, const Outcomes& outcomes, Index num_times) {
  if (outcomes.values.empty()) return;
  const auto group = file.add_group("observed_data");
  file.add_dimension(group, "time", num_times);
  std::vector<std::string> dimensions{"time"};
  if (!outcomes.is_scalar) {
    dimensions.push_back(outcomes.name + "_dim_0");
    file.add_dimension(group, dimensions.back(), ssize(outcomes.values) / num_times);
  }
  file.write(file.add_variable(group, outcomes.name, {.dimensions = dimensions}), outcomes.values);
}

void write_likelihoods(NetcdfFile& file, std::span<const double> log_likelihoods) {
  const auto group = file.add_group("evidence");
  file.add_dimension(group, "repeat", ssize(log_likelihoods));
  file.write(file.add_variable(group, "log_likelihood", {.dimensions = {"repeat"}}),
             log_likelihoods);
}

void write_netcdf_apart(const FitOutput& to, const std::function<void(NetcdfFile&)>& write) {
  try {
    run_apart([&] {
      NetcdfFile file(to.path, to.readers);
      write(file);
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
