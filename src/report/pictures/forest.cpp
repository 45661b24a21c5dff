// Medians with their 50 % and 90 % intervals, a line for each quantity.
#include "report/arrangement.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {

Panel forest_panel(const Material& material, const QuantityGroup& group) {
  Panel panel{.title = group.title};
  IntervalMarks intervals(Mark::Kind::intervals, "90 %");
  Mark median{.kind = Mark::Kind::points, .role = Role::observed, .label = "median"};
  for (const Quantiles& q : material.quantiles(group.quantities)) {
    const double row = static_cast<double>(median.y.size());
    panel.y.rows.push_back(material.label(group.quantities[median.y.size()]));
    intervals.add(row, q);
    median.y.push_back(row), median.x.push_back(q.q50);
  }
  panel.marks = {std::move(intervals.wide), std::move(intervals.narrow), std::move(median)};
  return panel;
}

Picture draw_forest(const Material& material, std::span<const Index> quantities) {
  Picture picture{.kind = "forest",
                  .title = "Intervals",
                  .words = "Medians with the central 50 % (thick) and 90 % (thin) intervals."};
  for (const QuantityGroup& group : joined_by_scale(material, groups_of(material, quantities)))
    picture.panels.push_back(forest_panel(material, group));
  if (picture.panels.size() > 1)
    picture.words += " Quantities of another scale have a panel and an axis of their own.";
  return picture;
}

}  // namespace

extern const PictureKind forest_picture{.name = "forest",
                                        .summary = "medians and intervals, below each other",
                                        .most_quantities = 60,
                                        .draw = draw_forest};

}  // namespace credo::report
