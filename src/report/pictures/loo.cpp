// Rows left out: Pareto k of each, whether its leave-one-out figure can be believed [vehtari2024psis], and its log
// predictive density given all others.
#include <fmt/format.h>

#include "report/kinds.hpp"

namespace credo::report {
namespace {

// A figure of each row, those that can't be believed marked, with a line at `level`.
Panel row_panel(const results::Loo& loo, const std::function<double(std::size_t)>& figure,
                const char* axis, Mark level) {
  const std::vector<Index> unreliable = loo.unreliable();
  Mark good{.kind = Mark::Kind::points, .role = Role::posterior, .label = "reliable"},
      wrong{.kind = Mark::Kind::points, .role = Role::unreliable};
  for (std::size_t i = 0; i < loo.rows.size(); ++i) {
    const bool is_wrong = std::ranges::find(unreliable, static_cast<Index>(i)) != unreliable.end();
    Mark& mark = is_wrong ? wrong : good;
    mark.x.push_back(static_cast<double>(i + 1)), mark.y.push_back(figure(i));
  }
  Panel panel{.x = {.label = "row of the data", .is_whole = true}, .y = {.label = axis}};
  level.kind = Mark::Kind::rule_y, level.role = Role::reference;
  panel.marks.push_back(std::move(level));
  for (Mark* mark : {&good, &wrong})
    if (!mark->x.empty()) panel.marks.push_back(std::move(*mark));
  return panel;
}

Picture draw_loo(const Material& material, std::span<const Index>) {
  const results::Loo& loo = material.loo();
  const std::size_t bad = loo.unreliable().size();
  Picture picture{
      .kind = "loo",
      .title = "Leave-one-out: Pareto k",
      .words = fmt::format(
          "elpd_loo {:.1f}, error {}; p_loo {:.1f}. Of {} rows{} {} have a k above {:.2f}: "
          "{}.",
          loo.elpd_loo.value, results::error_text(loo.elpd_loo), loo.p_loo.value, loo.rows.size(),
          loo.has_own_rows ? " (elements of the program's log_lik)" : "", bad, loo.k_limit(),
          bad == 0 ? "the figures can be believed"
                   : "the posterior without such a row is too far from the one "
                     "with it, and the figures can't be relied on")};
  picture.panels = {row_panel(loo, [&](std::size_t i) { return loo.rows[i].pareto_k; }, "Pareto k",
                              {.y = {loo.k_limit()}, .label = "limit"})};
  return picture;
}

Picture draw_scores(const Material& material, std::span<const Index>) {
  const results::Loo& loo = material.loo();
  const double mean = loo.elpd_loo.value / static_cast<double>(loo.rows.size());
  Picture picture{
      .kind = "scores",
      .title = "Scores of rows left out",
      .words = fmt::format(
          "The log predictive density of each row given all others; the mean is {:.2f}. The "
          "lowest rows are those that the model expects least.",
          mean)};
  picture.panels = {row_panel(loo, [&](std::size_t i) { return loo.rows[i].elpd_loo; },
                              "log predictive density", {.y = {mean}, .label = "mean"})};
  return picture;
}
}  // namespace

extern const PictureKind loo_picture{
    .name = "loo", .summary = "Pareto k of each row left out", .draw = draw_loo};

extern const PictureKind scores_picture{
    .name = "scores",
    .summary = "the log predictive density of each row left out",
    .draw = draw_scores};

}  // namespace credo::report
