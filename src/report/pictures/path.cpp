// Medians and intervals along the elements of an array: paths in time, curves, spectra.
#include "report/kinds.hpp"

namespace credo::report {
namespace {

Picture draw_path(const Material& material, std::span<const Index> quantities) {
  Picture picture{
      .kind = "path",
      .title = "Along " + material.name(quantities[0]) + " to " + material.name(quantities.back()),
      .words =
          "Medians of the elements in their order, with the central 50 % and 90 % intervals of "
          "each."};
  Panel panel{.x = {.label = "element", .is_whole = true}};
  Mark wide{.kind = Mark::Kind::area, .role = Role::interval, .label = "90 %"},
      narrow{.kind = Mark::Kind::area, .role = Role::posterior, .label = "50 %"},
      median{.kind = Mark::Kind::line, .role = Role::observed, .label = "median"};
  for (const Quantiles& q : material.quantiles(quantities)) {
    const double place = static_cast<double>(median.x.size() + 1);
    for (Mark* mark : {&wide, &narrow, &median}) mark->x.push_back(place);
    wide.y2.push_back(q.q5), wide.y.push_back(q.q95);
    narrow.y2.push_back(q.q25), narrow.y.push_back(q.q75);
    median.y.push_back(q.q50);
  }
  panel.marks = {std::move(wide), std::move(narrow), std::move(median)};
  picture.panels.push_back(std::move(panel));
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
