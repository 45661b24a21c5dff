#include "results/estimates/state_rows.hpp"

namespace credo::results {

std::vector<Dimension> state_dimensions(const density::Layout& state) {
  const density::Variable& variable = state.variables().front();
  if (variable.dims.empty()) return {};
  return {{variable.name + "_dim_0", state.size()}};
}

std::vector<std::string> names_of(std::span<const Dimension> dimensions) {
  std::vector<std::string> names;
  for (const Dimension& d : dimensions) names.push_back(d.name);
  return names;
}

void add_state_names(ArrayList& answer, const density::Layout& state) {
  answer.add_group("state", {{"element", state.size()}}, {.shape = Shape::values, .only = true})
      .add_labels("element", state.element_names());
}

void add_state_rows(ArrayList& answer, const std::string& name, const StateRows& rows,
                    const std::string& key) {
  std::vector<Dimension> dims{{"time", rows.num_times}};
  std::ranges::copy(state_dimensions(rows.state), std::back_inserter(dims));
  auto group = answer.add_group(name, dims, {.key = key});
  group.add_numbers("time", rows.first_time + 1);
  const std::string& state = rows.state.variables().front().name;
  const auto add = [&](const std::string& what, const char* help, const char* own_key,
                       auto values_of) {
    std::vector<double> values;
    for (Index t = 0; t < rows.num_times; ++t) {
      const std::span<const double> at = values_of(rows.row(t));
      values.insert(values.end(), at.begin(), at.end());
    }
    if (!values.empty())
      group.add({.name = state + what, .dims = names_of(dims), .help = help, .key = own_key},
                std::move(values));
  };
  add("_mean", "mean", "mean[]", [](const StateRow& r) { return r.mean; });
  add("_sd", "standard deviation", "sd[]", [](const StateRow& r) { return r.sd; });
  const auto elements = static_cast<std::size_t>(rows.state.size());
  const std::array<std::pair<const char*, const char*>, 3> levels{
      {{"_q5", "5 % quantile"}, {"_q50", "median"}, {"_q95", "95 % quantile"}}};
  for (std::size_t level = 0; level < levels.size(); ++level)
    add(levels[level].first, levels[level].second, "quantiles[]",
        [&](const StateRow& r) { return r.quantiles.subspan(level * elements, elements); });
  add("_mean_error", "Monte Carlo standard error of the mean", "mean_error[]",
      [](const StateRow& r) { return r.error; });
}

void add_outcomes(ArrayList& answer, const Outcomes& outcomes, Index num_times) {
  if (outcomes.values.empty()) return;
  std::vector<Dimension> dims{{"time", num_times}};
  if (!outcomes.is_scalar)
    dims.push_back({outcomes.name + "_dim_0", ssize(outcomes.values) / num_times});
  answer.add_group("observed_data", dims, {.key = kHidden})
      .add({.name = outcomes.name, .dims = names_of(dims)}, outcomes.values);
}

void add_likelihoods(ArrayList& answer, std::vector<double> log_likelihoods) {
  answer
      .add_group("evidence", {{"repeat", ssize(log_likelihoods)}},
                 {.key = "log_likelihoods", .shape = Shape::values})
      .add({.name = "log_likelihood", .dims = {"repeat"}}, std::move(log_likelihoods));
}

}  // namespace credo::results
