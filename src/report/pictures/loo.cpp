// Pareto k of each row of the data: whether its leave-one-out figure can be believed [vehtari2024psis].
#include <fmt/format.h>

#include "report/kinds.hpp"

namespace credo::report {
namespace {

Picture draw_loo(const Material& material, std::span<const Index>) {
  const results::Loo& loo = material.loo();
  const std::vector<Index> unreliable = loo.unreliable();
  const std::size_t bad = unreliable.size();
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
  Mark good{.kind = Mark::Kind::points, .role = Role::posterior, .label = "reliable"},
      wrong{.kind = Mark::Kind::points, .role = Role::unreliable};
  for (std::size_t i = 0; i < loo.rows.size(); ++i) {
    const bool is_wrong =
        std::find(unreliable.begin(), unreliable.end(), static_cast<Index>(i)) != unreliable.end();
    Mark& mark = is_wrong ? wrong : good;
    mark.x.push_back(static_cast<double>(i + 1)), mark.y.push_back(loo.rows[i].pareto_k);
  }
  Panel panel{.x = {.label = "row of the data", .is_whole = true}, .y = {.label = "Pareto k"}};
  panel.marks.push_back({.kind = Mark::Kind::rule_y,
                         .role = Role::reference,
                         .y = {loo.k_limit()},
                         .label = "limit"});
  for (Mark* mark : {&good, &wrong})
    if (!mark->x.empty()) panel.marks.push_back(std::move(*mark));
  picture.panels.push_back(std::move(panel));
  return picture;
}
}  // namespace

extern const PictureKind loo_picture{
    .name = "loo", .summary = "Pareto k of each row left out", .draw = draw_loo};

}  // namespace credo::report
