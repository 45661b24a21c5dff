#include "report/states_picture.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "density/layout.hpp"
#include "results/files/selection.hpp"

namespace credo::report {
namespace {
using results::ArrayResult;
using results::Field;
using results::Group;

constexpr Index kMostElements = 8, kMostOutcomes = 4;
constexpr double kPanelHeight = 150.0;
constexpr const char* kSmoothed = "smoothed";  // given all outcomes; else those up to each time

// Band of a state or an outcome x from the group's fields x_q5, x_q50, x_q95.
struct Band {
  density::Layout layout;
  Series times, low, median, high;  // all elements of a time, then those of the next one
};

std::optional<Band> band_of(const ArrayResult& file, std::string_view name) {
  const Group* group = file.find_group(name);
  if (group == nullptr) return {};
  for (const Field& field : group->fields) {
    if (!field.name.ends_with("_q50")) continue;
    density::Variable reported{.name = field.name.substr(0, field.name.size() - 4)};
    const std::vector<Index> shape = group->shape(field);
    reported.dims.assign(shape.begin() + 1, shape.end());
    Band band{.layout = {},
              .times = file.find(name, "time"),
              .low = file.find(name, reported.name + "_q5"),
              .median = file.read(*group, field),
              .high = file.find(name, reported.name + "_q95")};
    if (band.low.size() == band.median.size() && band.high.size() == band.median.size()) {
      band.layout.add(reported);
      return band;
    }
  }
  throw Error(ErrorCode::data, fmt::format("the group {} has no quantiles", name),
              std::string(name), "write the file again: credo filter, credo smooth");
}

Panel panel_of_time(std::string title) {
  return {.title = std::move(title), .x = {.label = "time", .is_whole = true}};
}

Mark line_at(const Series& times, Series y, std::string label) {
  return {.kind = Mark::Kind::line, .x = times, .y = std::move(y), .label = std::move(label)};
}

// Every step-th value, from `first` on.
Series every(std::span<const double> values, Index first, Index step) {
  Series own;
  for (Index k = first; k < ssize(values); k += step)
    own.push_back(values[static_cast<std::size_t>(k)]);
  return own;
}

// The central 90 % of an element and its median.
std::vector<Mark> marks_of(const Band& band, Index element, const std::string& label) {
  const Index step = band.layout.size();
  Mark median = line_at(band.times, every(band.median, element, step), "median" + label);
  median.role = Role::posterior;
  return {{.kind = Mark::Kind::area,
           .role = Role::interval,
           .x = band.times,
           .y = every(band.high, element, step),
           .y2 = every(band.low, element, step),
           .label = "90 %" + label},
          median};
}

// The observed outcomes, followed by the forecasts.
void add_outcomes(Picture& picture, const ArrayResult& file, const Series& times,
                  const std::optional<Band>& forecast) {
  const Group* group = file.find_group("observed_data");
  if (group == nullptr || group->fields.empty()) return;
  const Field& field = group->fields.front();
  const std::vector<double> values = file.read(*group, field);
  const Index step = ssize(values) / ssize(times);
  for (Index e = 0; e < std::min(step, kMostOutcomes); ++e) {
    Panel panel = panel_of_time(
        (field.dims.size() == 1 ? field.name : fmt::format("{}[*,{}]", field.name, e + 1)) +
        (forecast ? ", observed and forecast" : ", observed"));
    if (forecast) panel.marks = marks_of(*forecast, e, ", forecast");
    panel.marks.push_back({.kind = Mark::Kind::points,
                           .role = Role::observed,
                           .x = times,
                           .y = every(values, e, step)});
    picture.panels.push_back(std::move(panel));
  }
}

void add_regimes(Picture& picture, const ArrayResult& file, const Series& times) {
  const std::vector<double> regimes = file.find("regimes", "probability");
  if (regimes.empty()) return;
  const Index count = ssize(regimes) / ssize(times);
  Panel panel = panel_of_time("probability of each regime");
  panel.y.low = 0.0, panel.y.high = 1.0;
  for (Index k = 0; k < count; ++k) {
    Mark line = line_at(times, every(regimes, k, count), fmt::format("regime {}", k + 1));
    line.role = Role::chain, line.chain = k;
    panel.marks.push_back(std::move(line));
  }
  picture.panels.push_back(std::move(panel));
}

// Effective particles, as the commands report them: a filter's first run, the minimum over a mixture's runs, or the
// mean over a smoother's runs.
void add_effective(Picture& picture, const ArrayResult& file, const Series& times) {
  const bool is_smoothed = file.find_group(kSmoothed) != nullptr;
  const std::vector<double> runs =
      is_smoothed ? file.find("smooth_stats", "num_distinct") : file.find("filter_stats", "ess");
  if (runs.empty()) return;
  const auto num_runs = static_cast<double>(runs.size() / times.size());
  Series effective(times.size(), 0.0);
  for (std::size_t t = 0; t < times.size(); ++t) {
    const Series all = every(runs, static_cast<Index>(t), ssize(times));
    effective[t] = is_smoothed ? std::accumulate(all.begin(), all.end(), 0.0) / num_runs
                   : file.text("num_fit_draws").empty() ? all.front()
                                                        : std::ranges::min(all);
  }
  Panel panel = panel_of_time(fmt::format(
      "{} of {}", is_smoothed ? "particles that paths of a run go through," : "effective particles",
      file.text("num_particles")));
  panel.y.low = 0.0;
  panel.marks.push_back(line_at(times, std::move(effective), "particles"));
  picture.panels.push_back(std::move(panel));
}

std::string words_of(const ArrayResult& file, Index num_shown, Index num_elements,
                     const std::optional<Band>& forecast) {
  std::string text = fmt::format(
      "Median and central 90 % of each element of the state, given {}, by the method {}; below "
      "them the outcomes.",
      file.find_group(kSmoothed) != nullptr ? "all outcomes" : "the outcomes up to the time",
      file.text("method"));
  if (const std::string draws = file.text("num_fit_draws"); !draws.empty())
    text += fmt::format(" A mixture over {} draws of a fit.", draws);
  if (forecast)
    text += fmt::format(" From time {} on the outcome is forecast.", forecast->times.front());
  if (num_shown < num_elements)
    text += fmt::format(" {} of {} elements are shown: --columns names others.", num_shown,
                        num_elements);
  return text;
}
}  // namespace

bool has_states(const ArrayResult& file) {
  return file.find_group("filtered") != nullptr || file.find_group(kSmoothed) != nullptr;
}

Picture states_picture(const ArrayResult& file, std::span<const std::string> columns) {
  const bool is_smoothed = file.find_group(kSmoothed) != nullptr;
  const Band state = *band_of(file, is_smoothed ? kSmoothed : "filtered");
  const std::optional<Band> forecast = band_of(file, "forecast");
  std::vector<Index> shown;
  for (const std::string& pattern : columns)
    std::ranges::copy(results::places_of(pattern, "--columns", state.layout.element_names()),
                      std::back_inserter(shown));
  for (Index e = 0; columns.empty() && e < std::min(state.layout.size(), kMostElements); ++e)
    shown.push_back(e);
  Picture picture{
      .kind = "states",
      .title = fmt::format("{} of {}", is_smoothed ? "Smoothed states" : "Filtered states",
                           file.text("program")),
      .words = words_of(file, ssize(shown), state.layout.size(), forecast),
      .height = kPanelHeight};
  for (const Index e : shown) {
    Panel panel = panel_of_time(density::bracketed_name(state.layout.element_name(e)));
    panel.marks = marks_of(state, e, "");
    picture.panels.push_back(std::move(panel));
  }
  add_outcomes(picture, file, state.times, forecast);
  add_regimes(picture, file, state.times);
  add_effective(picture, file, state.times);
  return picture;
}

}  // namespace credo::report
