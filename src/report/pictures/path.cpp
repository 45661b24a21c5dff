// Medians and intervals along the elements of an array: paths in time, curves, spectra. Matrices have a panel for
// each column.
#include "report/arrangement.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr std::size_t kManyPanels = 3;  // more panels are less high

Panel path_panel(const Material& material, const QuantityGroup& group) {
  Panel panel{.title = group.title, .x = {.label = group.index, .is_whole = true}};
  IntervalMarks intervals(Mark::Kind::area, "90 %", Role::posterior);
  Mark median{
      .kind = Mark::Kind::line, .role = Role::observed, .x = group.along, .label = "median"};
  for (const Quantiles& q : material.quantiles(group.quantities)) {
    intervals.add(group.along[median.y.size()], q);
    median.y.push_back(q.q50);
  }
  panel.marks = {std::move(intervals.wide), std::move(intervals.narrow), std::move(median)};
  return panel;
}

// Names of the variables, each once.
std::string names_of(const Material& material, std::span<const QuantityGroup> groups) {
  std::string text, before;
  for (const QuantityGroup& group : groups) {
    const std::string name = material.name(group.quantities.front());
    const std::string variable = name.substr(0, name.find('['));
    if (variable == before) continue;
    text += (text.empty() ? "" : ", ") + variable;
    before = variable;
  }
  return text;
}

Picture draw_path(const Material& material, std::span<const Index> quantities) {
  const std::vector<QuantityGroup> groups = groups_of(material, quantities);
  Picture picture{
      .kind = "path",
      .title = "Along " + names_of(material, groups),
      .words =
          "Medians of the elements in the order of their names, with the central 50 % and 90 % "
          "intervals of each."};
  for (const QuantityGroup& group : groups) picture.panels.push_back(path_panel(material, group));
  if (groups.size() >= kManyPanels) picture.height = 140.0;
  return picture;
}
}  // namespace

extern const PictureKind path_picture{
    .name = "path",
    .summary = "medians and intervals along the elements of an array",
    .most_quantities = 5000,
    .of_one_variable = true,
    .draw = draw_path};

}  // namespace credo::report
