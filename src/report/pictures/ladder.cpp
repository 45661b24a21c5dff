// Tables that an algorithm reports beside its draws, row by row: stages of a population, temperatures, evidences.
#include <fmt/format.h>

#include "base/error.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {

// A column of each chain's rows.
Panel ladder_panel(const results::Fit& fit, Index t, std::size_t column) {
  const results::RowTable& table = fit.tables()[static_cast<std::size_t>(t)];
  const std::size_t width = table.columns.size();
  Panel panel{.title = table.columns[column].name, .x = {.label = table.row, .is_whole = true}};
  for (Index c = 0; c < fit.num_chains() / fit.num_walkers(); ++c) {
    const std::vector<double> rows = fit.table_rows(t, c);
    Mark line{.kind = Mark::Kind::line, .role = Role::chain, .chain = c};
    for (std::size_t r = 0; r * width < rows.size(); ++r)
      line.x.push_back(static_cast<double>(r + 1)), line.y.push_back(rows[r * width + column]);
    if (!line.x.empty()) panel.marks.push_back(std::move(line));
  }
  return panel;
}

Picture draw_ladder(const Material& material, std::span<const Index>) {
  const results::Fit& fit = material.fit();
  if (fit.tables().empty())
    throw Error(ErrorCode::usage, "the algorithm reports only its draws",
                material.subjects()[0].name, "populations have stages, such as smc");
  Picture picture{.kind = "ladder", .title = "Stages", .words = "", .columns = 2, .height = 150.0};
  for (Index t = 0; t < ssize(fit.tables()); ++t) {
    const results::RowTable& table = fit.tables()[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < table.columns.size(); ++k)
      picture.panels.push_back(ladder_panel(fit, t, k));
    picture.words += fmt::format("{}Values that the run reports for each {}, chain by chain.",
                                 picture.words.empty() ? "" : " ", table.row);
  }
  if (const auto evidence = infer::log_evidence(fit.result()))
    picture.words +=
        fmt::format(" Log evidence {:.3f}, error {:.3f}.", evidence->value, evidence->error);
  return picture;
}
}  // namespace

extern const PictureKind ladder_picture{
    .name = "ladder",
    .summary = "stages, temperatures and evidences of runs that have them",
    .draw = draw_ladder};

}  // namespace credo::report
