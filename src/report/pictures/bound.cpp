// The course of a climb to an approximation: its bound by evaluations, with the bounds of new draws and the evidence by weights.
#include <fmt/format.h>

#include "base/error.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr std::string_view kTable = "bound";  // as in infer/variational/approximation.hpp

std::size_t place_of_column(const results::RowTable& table, std::string_view name) {
  for (std::size_t k = 0; k < table.columns.size(); ++k)
    if (table.columns[k].name == name) return k;
  throw Error(ErrorCode::io, fmt::format("the table of the climb has no column {}", name),
              std::string(kTable), "the file is of another version");
}

Index place_of_table(const results::Fit& fit, const std::string& file) {
  for (Index t = 0; t < ssize(fit.tables()); ++t)
    if (fit.tables()[static_cast<std::size_t>(t)].name == kTable) return t;
  throw Error(ErrorCode::usage, "the run has no climb to an approximation", file,
              "credo approximate --method normal has one");
}

// A level over the whole width, if the run reports it.
void add_level(Panel& panel, const results::Fit& fit, std::string_view setting, std::string label,
               Role role) {
  for (const infer::TunedSetting& tuned : fit.result().chains[0].tuned) {
    if (tuned.name != setting || tuned.values.empty() || !std::isfinite(tuned.values[0])) continue;
    const std::vector<double>& x = panel.marks.front().x;
    panel.marks.push_back({.kind = Mark::Kind::line,
                           .role = role,
                           .x = {x.front(), x.back()},
                           .y = {tuned.values[0], tuned.values[0]},
                           .label = std::move(label)});
  }
}

Picture draw_bound(const Material& material, std::span<const Index>) {
  const results::Fit& fit = material.fit();
  const Index t = place_of_table(fit, material.subjects()[0].name);
  const results::RowTable& table = fit.tables()[static_cast<std::size_t>(t)];
  const std::size_t width = table.columns.size(), x = place_of_column(table, "num_evaluations"),
                    y = place_of_column(table, "bound");
  const std::vector<double> rows = fit.table_rows(t, 0);
  Panel panel{.title = "", .x = {.label = "evaluations", .is_whole = true}};
  Mark course{.kind = Mark::Kind::line, .role = Role::observed, .label = "climb"};
  for (std::size_t r = 0; r < rows.size(); r += width)
    course.x.push_back(rows[r + x]), course.y.push_back(rows[r + y]);
  if (course.x.empty())
    throw Error(ErrorCode::usage, "the climb ended where it began, and has no course",
                material.subjects()[0].name, "credo summary shows its bounds");
  panel.marks.push_back(std::move(course));
  add_level(panel, fit, "bound", "bound by new draws", Role::posterior);
  add_level(panel, fit, "evidence_by_weights", "evidence by weights", Role::prior);
  return {.kind = "bound",
          .title = "Climb to the approximation",
          .words =
              "The objective by the draws of the climb, against evaluations of the density; the "
              "bound by new draws at its end, and the log evidence by their weights. Fixed "
              "draws make the climb end above its bound by new draws.",
          .panels = {std::move(panel)}};
}
}  // namespace

extern const PictureKind bound_picture{
    .name = "bound", .summary = "the course of a climb to an approximation", .draw = draw_bound};

}  // namespace credo::report
