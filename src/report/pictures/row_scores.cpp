// The scores of `credo score`: one for each row, predicted from all others, and their mean.
#include <fmt/format.h>

#include "report/kinds.hpp"
#include "score/scores.hpp"

namespace credo::report {
namespace {

Panel score_panel(const score::ScoreRow& row, const score::Predictions& predictions) {
  std::vector<double> scores = score::row_scores(row, predictions);
  const score::Figure figure = score::figure_of(row, scores);
  if (row.root)  // in the units of the title
    for (double& score : scores) score = std::sqrt(score);
  Panel panel{.title = fmt::format("{}: {:.4g}, error {:.2g}; {} is better", row.name, figure.value,
                                   figure.error, row.higher_is_better ? "higher" : "lower"),
              .x = {.label = "row of the data", .is_whole = true},
              .y = {.label = row.root ? "absolute error" : std::string(row.name)}};
  Mark points{.kind = Mark::Kind::points, .role = Role::posterior, .label = "rows"};
  for (std::size_t i = 0; i < scores.size(); ++i)
    points.x.push_back(static_cast<double>(i + 1)), points.y.push_back(scores[i]);
  panel.marks = {{.kind = Mark::Kind::rule_y,
                  .role = Role::reference,
                  .y = {figure.value},
                  .label = "figure of the title"},
                 std::move(points)};
  return panel;
}

Picture draw_row_scores(const Material& material, std::span<const Index>) {
  const results::FitPredictions& found = material.predictions();
  const auto unreliable = material.unreliable();
  Picture picture{
      .kind = "row_scores",
      .title = "Scores of predictions",
      .words = "Each row is predicted from all others, and scored by its outcome. " +
               (unreliable ? unreliable->sentence()
                           : fmt::format("Of {} rows {} can't be left out reliably.",
                                         found.predictions.num_rows(), found.num_unreliable)) +
               " The titles have the means with their standard errors."};
  for (const score::ScoreRow* row : score::scores_that_apply(found.predictions))
    if (row->needs_outcome) picture.panels.push_back(score_panel(*row, found.predictions));
  picture.columns = std::min<Index>(2, ssize(picture.panels));
  return picture;
}
}  // namespace

extern const PictureKind row_scores_picture{
    .name = "row_scores",
    .summary = "scores of each row's prediction from all others",
    .draw = draw_row_scores};

}  // namespace credo::report
