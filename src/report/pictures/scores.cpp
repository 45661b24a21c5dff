// Scores: the log predictive density of each row given all others.
#include <fmt/format.h>

#include "report/kinds.hpp"

namespace credo::report {
namespace {

Picture draw_scores(const Material& material, std::span<const Index>) {
  const results::Loo& loo = material.loo();
  const std::vector<Index> unreliable = loo.unreliable();
  const double mean = loo.elpd_loo.value / static_cast<double>(loo.rows.size());
  Picture picture{
      .kind = "scores",
      .title = "Scores of rows left out",
      .words = fmt::format(
          "The log predictive density of each row given all others; the mean is {:.2f}. The "
          "lowest rows are those that the model expects least.",
          mean)};
  Mark good{.kind = Mark::Kind::points, .role = Role::posterior, .label = "reliable"},
      wrong{.kind = Mark::Kind::points, .role = Role::unreliable};
  for (std::size_t i = 0; i < loo.rows.size(); ++i) {
    const bool is_wrong =
        std::find(unreliable.begin(), unreliable.end(), static_cast<Index>(i)) != unreliable.end();
    Mark& mark = is_wrong ? wrong : good;
    mark.x.push_back(static_cast<double>(i + 1)), mark.y.push_back(loo.rows[i].elpd_loo);
  }
  Panel panel{.x = {.label = "row of the data", .is_whole = true},
              .y = {.label = "log predictive density"}};
  panel.marks.push_back(
      {.kind = Mark::Kind::rule_y, .role = Role::reference, .y = {mean}, .label = "mean"});
  for (Mark* mark : {&good, &wrong})
    if (!mark->x.empty()) panel.marks.push_back(std::move(*mark));
  picture.panels.push_back(std::move(panel));
  return picture;
}
}  // namespace

extern const PictureKind scores_picture{
    .name = "scores",
    .summary = "the log predictive density of each row left out",
    .draw = draw_scores};

}  // namespace credo::report
