// Predictive checks by group: a statistic of the outcomes of each group, with the intervals of replicates.
#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "report/kinds.hpp"
#include "results/checks/test_statistics.hpp"

namespace credo::report {
namespace {
constexpr std::size_t kMostRows = 40;       // more groups are drawn as a line along their numbers
constexpr std::size_t kMostGroups = 500;    // for groupings that aren't named
constexpr std::size_t kMostGroupings = 3;   // per outcome, if none is named
constexpr std::size_t kLeastForSpread = 5;  // mean number of values per group

// Elements of an outcome, grouped by a variable of the data.
struct Grouping {
  std::string name;
  std::map<double, std::vector<std::size_t>> members;  // by value, ascending
};

// Places of the drawn elements among all elements of their variable.
std::vector<std::size_t> places_of_elements(const results::Replicated& one) {
  std::vector<std::size_t> places;
  for (const std::string& name : one.elements) {
    const std::size_t dot = name.rfind('.');
    places.push_back(dot == std::string::npos
                         ? 0
                         : static_cast<std::size_t>(std::atoll(name.c_str() + dot + 1)) - 1);
  }
  return places;
}

Grouping grouping_by(const density::ObservedVariable& variable, const results::Replicated& one) {
  Grouping grouping{.name = variable.variable.name, .members = {}};
  const std::vector<std::size_t> places = places_of_elements(one);
  for (std::size_t e = 0; e < places.size(); ++e)
    grouping.members[variable.values.at(places[e])].push_back(e);
  return grouping;
}

const density::ObservedVariable* named(std::span<const density::ObservedVariable> data,
                                       std::string_view name) {
  const auto at = std::find_if(data.begin(), data.end(),
                               [&](const auto& one) { return one.variable.name == name; });
  return at == data.end() ? nullptr : &*at;
}

// True if the variable has a value for each element of a vector of outcomes.
bool goes_with(const density::ObservedVariable& variable,
               const density::ObservedVariable& outcome) {
  return outcome.variable.dims.size() == 1 && variable.variable.dims == outcome.variable.dims &&
         variable.variable.name != outcome.variable.name;
}

// Groupings by whole numbers, with at least two groups and on average two outcomes in each.
std::vector<Grouping> found_groupings(std::span<const density::ObservedVariable> data,
                                      const results::Replicated& one) {
  std::vector<Grouping> all;
  const density::ObservedVariable* outcome = named(data, one.name);
  if (outcome == nullptr) return all;
  for (const density::ObservedVariable& variable : data) {
    if (variable.variable.kind == density::Kind::real || !goes_with(variable, *outcome)) continue;
    const std::set<double> values(variable.values.begin(), variable.values.end());
    if (values.size() < 2 || 2 * values.size() > variable.values.size() ||
        values.size() > kMostGroups || all.size() == kMostGroupings)
      continue;
    all.push_back(grouping_by(variable, one));
  }
  return all;
}

[[noreturn]] void refuse_group(std::span<const density::ObservedVariable> data,
                               const density::ObservedVariable& outcome, const std::string& name) {
  std::vector<std::string> names;
  for (const density::ObservedVariable& variable : data)
    if (goes_with(variable, outcome)) names.push_back(variable.variable.name);
  const std::string near = did_you_mean(name, names);
  throw Error(ErrorCode::usage,
              fmt::format("{} isn't a variable of the data with a value for each element of {}",
                          name, outcome.variable.name),
              "--group",
              names.empty()  ? "add the groups to the data block"
              : near.empty() ? fmt::format("one of {}", fmt::join(names, ", "))
                             : near);
}

std::vector<Grouping> groupings_of(const Material& material,
                                   std::span<const density::ObservedVariable> data,
                                   const results::Replicated& one) {
  const std::string& wanted = material.options().group;
  if (wanted.empty()) return found_groupings(data, one);
  const density::ObservedVariable* outcome = named(data, one.name);
  if (outcome == nullptr) return {};
  const density::ObservedVariable* variable = named(data, wanted);
  if (variable == nullptr || !goes_with(*variable, *outcome)) refuse_group(data, *outcome, wanted);
  return {grouping_by(*variable, one)};
}

Series values_of_group(std::span<const double> values, std::span<const std::size_t> members) {
  Series own;
  for (const std::size_t e : members) own.push_back(values[e]);
  return own;
}

struct GroupFigure {
  double value = kNaN;  // number of the group
  double observed = kNaN;
  Quantiles replicated = {};
};

std::vector<GroupFigure> figures_of(const results::Replicated& one, const Grouping& grouping,
                                    const results::TestStatistic& statistic) {
  std::vector<GroupFigure> figures;
  Series own(one.draws.size());
  for (const auto& [value, members] : grouping.members) {
    for (std::size_t s = 0; s < own.size(); ++s)
      own[s] = statistic.value(values_of_group(one.draws[s], members));
    figures.push_back({.value = value,
                       .observed = statistic.value(values_of_group(one.observed, members)),
                       .replicated = quantiles_of(own)});
  }
  return figures;
}

// A row for each group by name if there are few, otherwise a line along their numbers.
Panel group_panel(const Material& material, const Grouping& grouping,
                  std::span<const GroupFigure> figures) {
  const bool has_rows = figures.size() <= kMostRows;
  IntervalMarks intervals(has_rows ? Mark::Kind::intervals : Mark::Kind::spans,
                          "90 % of the replicates");
  Mark observed{.kind = Mark::Kind::points, .role = Role::observed};
  Panel panel;
  for (std::size_t k = 0; k < figures.size(); ++k) {
    const GroupFigure& f = figures[k];
    const double place = has_rows ? static_cast<double>(k) : f.value;
    if (has_rows) panel.y.rows.push_back(material.label_of(grouping.name, f.value));
    intervals.add(place, f.replicated);
    observed.x.push_back(has_rows ? f.observed : place);
    observed.y.push_back(has_rows ? place : f.observed);
  }
  panel.marks = {std::move(intervals.wide), std::move(intervals.narrow), std::move(observed)};
  return panel;
}

void add_panels(Picture& picture, const Material& material, const results::Replicated& one,
                const Grouping& grouping) {
  const bool has_spread =
      !one.is_whole && one.observed.size() >= kLeastForSpread * grouping.members.size();
  for (const char* name : {"mean", "sd"}) {
    if (name == std::string_view("sd") && !has_spread) continue;
    const std::vector<GroupFigure> figures =
        figures_of(one, grouping, results::find_test_statistic(name));
    Panel panel = group_panel(material, grouping, figures);
    panel.title = fmt::format("{} of {} by {}", name, one.name, grouping.name);
    (panel.y.rows.empty() ? panel.y : panel.x).label = fmt::format("{} of {}", name, one.name);
    if (panel.y.rows.empty()) panel.x.label = grouping.name, panel.x.is_whole = true;
    const auto outside = std::count_if(figures.begin(), figures.end(), [](const GroupFigure& f) {
      return f.observed < f.replicated.q5 || f.observed > f.replicated.q95;
    });
    picture.words += fmt::format(" {} of {} by {}: {} of {} groups lie outside of 90 %.", name,
                                 one.name, grouping.name, outside, figures.size());
    picture.panels.push_back(std::move(panel));
  }
}

Picture draw_groups(const Material& material, std::span<const Index>) {
  Picture picture{.kind = "groups",
                  .title = "Predictive check: groups",
                  .words =
                      "Each group's observed figure (point) with the central 50 % and 90 % of "
                      "that of its replicates."};
  const std::vector<density::ObservedVariable> data = material.data();
  for (const results::Replicated& one : material.replicates())
    for (const Grouping& grouping : groupings_of(material, data, one))
      add_panels(picture, material, one, grouping);
  if (picture.panels.empty())
    throw Error(ErrorCode::usage, "no variable of whole numbers in the data groups the outcomes",
                material.subjects()[0].name,
                "credo plot fit.nc groups --group NAME takes any variable with a value for each");
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind groups_picture{
    .name = "groups",
    .summary = "figures of groups of outcomes beside those of replicates",
    .draw = draw_groups};

}  // namespace credo::report
