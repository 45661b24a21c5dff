// Medians and intervals along the elements of an array: paths in time, curves, spectra. Matrices have a panel for
// each column.
#include "report/arrangement.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr std::size_t kManyPanels = 3;  // more panels are less high

Panel path_panel(const Material& material, const QuantityGroup& group) {
  Panel panel{.title = group.title, .x = {.label = group.index, .is_whole = true}};
  Mark wide{.kind = Mark::Kind::area, .role = Role::interval, .label = "90 %"},
      narrow{.kind = Mark::Kind::area, .role = Role::posterior, .label = "50 %"},
      median{.kind = Mark::Kind::line, .role = Role::observed, .label = "median"};
  const std::vector<Quantiles> all = material.quantiles(group.quantities);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Quantiles& q = all[k];
    for (Mark* mark : {&wide, &narrow, &median}) mark->x.push_back(group.along[k]);
    wide.y2.push_back(q.q5), wide.y.push_back(q.q95);
    narrow.y2.push_back(q.q25), narrow.y.push_back(q.q75);
    median.y.push_back(q.q50);
  }
  panel.marks = {std::move(wide), std::move(narrow), std::move(median)};
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
