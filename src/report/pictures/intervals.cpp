// Each observed value with the interval of its replicates.
#include "base/error.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {

Panel value_panel(const results::Replicated& one) {
  Panel panel{.title = one.name,
              .x = {.label = "value, in the order of the data", .is_whole = true}};
  IntervalMarks intervals(Mark::Kind::spans, "90 % of the replicates");
  Mark observed{.kind = Mark::Kind::points, .role = Role::observed, .y = one.observed};
  Series values(one.draws.size());
  for (std::size_t e = 0; e < one.observed.size(); ++e) {
    for (std::size_t s = 0; s < values.size(); ++s) values[s] = one.draws[s][e];
    observed.x.push_back(static_cast<double>(e + 1));
    intervals.add(observed.x.back(), quantiles_of(values));
  }
  panel.marks = {std::move(intervals.wide), std::move(intervals.narrow), std::move(observed)};
  return panel;
}

// Outcomes of 0 and 1, whose intervals are uninformative.
bool is_of_two_values(const results::Replicated& one) {
  return one.is_whole && std::all_of(one.observed.begin(), one.observed.end(),
                                     [](double v) { return v == 0.0 || v == 1.0; });
}

Picture draw_intervals(const Material& material, std::span<const Index>) {
  Picture picture{.kind = "intervals",
                  .title = "Predictive check: values",
                  .words =
                      "Each observed value (point) with the central 50 % and 90 % of its "
                      "replicates. The data were "
                      "fitted: more than 90 % within their intervals are to be expected where "
                      "there are many parameters."};
  for (const results::Replicated& one : material.replicates())
    if (!is_of_two_values(one)) picture.panels.push_back(value_panel(one));
  if (picture.panels.empty())
    throw Error(ErrorCode::usage, "the outcomes are 0 or 1, and so is each end of an interval",
                material.subjects()[0].name,
                "credo plot fit.nc bars and reliability show such outcomes");
  return picture;
}
}  // namespace

extern const PictureKind intervals_picture{
    .name = "intervals",
    .summary = "each observed value with the intervals of its replicates",
    .draw = draw_intervals};

}  // namespace credo::report
