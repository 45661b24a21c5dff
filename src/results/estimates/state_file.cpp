#include "results/estimates/state_file.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/number_text.hpp"
#include "results/arrays/array_file.hpp"
#include "results/files/fit.hpp"

namespace credo::results {
namespace {

constexpr const char* kFiltered = "filtered";
constexpr const char* kSmoothed = "smoothed";
constexpr const char* kForecast = "forecast";

class StateReader {
 public:
  explicit StateReader(const std::string& path) : file_(read_arrays(path)) {
    all_.path = path;
    all_.is_smoothed = file_->find_group(kFiltered) == nullptr;
  }

  StateFile read() {
    take_attributes();
    take_state();
    take_runs();
    take_regimes();
    take_outcomes();
    return std::move(all_);
  }

 private:
  const char* group_name() const { return all_.is_smoothed ? kSmoothed : kFiltered; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::data, what, all_.path, "write it again: credo filter, credo smooth");
  }

  void take_attributes() {
    const auto text = [&](const char* name) { return file_->text(name); };
    const auto number = [&](const char* name) { return file_->number(name); };
    const auto count = [&](const char* name) {
      return io::count_said(io::parse_number(text(name)).value_or(0.0));
    };
    all_.program = text("program"), all_.method = text("method");
    all_.log_likelihood = number("log_likelihood");
    all_.log_likelihood_error = number("log_likelihood_error");
    all_.log_likelihood_sd = number("log_likelihood_sd");
    all_.num_particles = count("num_particles"), all_.num_fit_draws = count("num_fit_draws");
  }

  std::vector<double> series(const std::string& group, const std::string& name) const {
    return file_->find(group, name);
  }

  void take_state() {
    const auto found = distribution_of(group_name());
    if (!found) refuse(fmt::format("the group {} has no state", group_name()));
    all_.state = *found;
    all_.mean_error =
        series(group_name(), all_.state.layout.variables().front().name + "_mean_error");
    all_.forecast = distribution_of(kForecast);
    if (all_.forecast) all_.forecast->first_time = all_.num_times() - all_.forecast->num_times;
  }

  // Reads name and size from the variable NAME_mean; empty if the group is missing.
  std::optional<DistributionSeries> distribution_of(const std::string& group) const {
    const Group* found = file_->find_group(group);
    if (found == nullptr) return {};
    for (const Field& field : found->fields) {
      const std::vector<Index> shape = found->shape(field);
      if (!field.name.ends_with("_mean") || shape.empty()) continue;
      density::Variable told{.name = field.name.substr(0, field.name.size() - 5)};
      told.dims.assign(shape.begin() + 1, shape.end());
      DistributionSeries distribution;
      distribution.num_times = shape.front();
      distribution.layout.add(told);
      const auto numbers = [&](const char* what) {
        std::vector<double> values = series(group, told.name + what);
        if (ssize(values) != distribution.num_times * distribution.layout.size())
          refuse(fmt::format("{}/{}{} isn't there with all times", group, told.name, what));
        return values;
      };
      distribution.mean = numbers("_mean"), distribution.sd = numbers("_sd");
      distribution.quantiles = {numbers("_q5"), numbers("_q50"), numbers("_q95")};
      return distribution;
    }
    return {};
  }

  // Effective particles, as the commands report them: a filter's first run, the minimum over a mixture's runs, or the
  // mean over a smoother's runs.
  void take_runs() {
    all_.num_runs = ssize(series("evidence", "log_likelihood"));
    const std::vector<double> runs =
        all_.is_smoothed ? series("smooth_stats", "num_distinct") : series("filter_stats", "ess");
    const auto times = static_cast<std::size_t>(all_.num_times());
    if (runs.empty() || runs.size() % times != 0) return;
    all_.effective.assign(runs.begin(), runs.begin() + all_.num_times());
    for (std::size_t k = times; k < runs.size(); ++k) {
      double& at = all_.effective[k % times];
      if (all_.num_fit_draws > 0) at = std::min(at, runs[k]);
      if (all_.is_smoothed) at += runs[k];
    }
    const auto num_runs = static_cast<double>(runs.size() / times);
    if (all_.is_smoothed)
      for (double& at : all_.effective) at /= num_runs;
  }

  void take_regimes() {
    all_.regimes = series("regimes", "probability");
    all_.num_regimes = ssize(all_.regimes) / all_.num_times();
  }

  void take_outcomes() {
    const Group* group = file_->find_group("observed_data");
    if (group == nullptr) return;
    for (const Field& field : group->fields) {
      const std::vector<Index> shape = group->shape(field);
      if (shape.empty() || shape.front() != all_.num_times()) continue;
      all_.outcomes = {
          .name = field.name, .is_scalar = shape.size() == 1, .values = file_->read(*group, field)};
      return;
    }
  }

  std::unique_ptr<ArrayResult> file_;
  StateFile all_;
};
}  // namespace

StateRow DistributionSeries::row(Index time, std::vector<double>& space) const {
  const auto elements = static_cast<std::size_t>(layout.size());
  const std::size_t first = static_cast<std::size_t>(time) * elements;
  space.clear();
  for (const std::vector<double>& level : quantiles)
    space.insert(space.end(), level.begin() + static_cast<std::ptrdiff_t>(first),
                 level.begin() + static_cast<std::ptrdiff_t>(first + elements));
  return {.mean = std::span(mean).subspan(first, elements),
          .sd = std::span(sd).subspan(first, elements),
          .quantiles = space};
}

StateRow StateFile::row(Index time, std::vector<double>& space) const {
  StateRow own = state.row(time, space);
  const auto elements = static_cast<std::size_t>(state.layout.size());
  if (!mean_error.empty())
    own.error = std::span(mean_error).subspan(static_cast<std::size_t>(time) * elements, elements);
  return own;
}

bool is_state_file(const std::string& path) {
  try {
    if (!is_netcdf_file(path)) return false;
    const auto file = read_arrays(path);
    return file->find_group(kFiltered) != nullptr || file->find_group(kSmoothed) != nullptr;
  } catch (const Error&) {
    return false;  // opening the file reports the error
  }
}

StateFile read_state_file(const std::string& path) {
  if (!is_state_file(path))
    throw Error(ErrorCode::io, "this isn't a file of credo filter or credo smooth", path);
  return StateReader(path).read();
}

}  // namespace credo::results
