// Several models of the same data by how well they predict rows left out.
#include <fmt/format.h>

#include "base/error.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {

Picture draw_comparison(const Material& material, std::span<const Index>) {
  std::vector<results::Compared> models;
  for (std::size_t k = 0; k < material.subjects().size(); ++k) {
    const Subject& subject = material.subjects()[k];
    models.push_back(results::compared_by(subject.name, material.loo(k)));
    models.back().data = results::digests_of(*subject.model);
  }
  models = results::compare(std::move(models));
  Picture picture{
      .kind = "compare",
      .title = "Comparison of models",
      .words =
          results::sentence_of(models) +
          " Points are sums of log predictive densities of rows left out, "
          "less that of the best; lines reach one standard error of the difference to both sides."};
  Panel panel{.x = {.label = "difference of elpd_loo to the best"}};
  Mark errors{.kind = Mark::Kind::intervals, .role = Role::interval, .label = "± error"},
      points{.kind = Mark::Kind::points, .role = Role::observed, .label = "difference"};
  for (const results::Compared& one : models) {
    const double row = static_cast<double>(panel.y.rows.size());
    panel.y.rows.push_back(one.name);
    points.y.push_back(row), points.x.push_back(one.difference.value);
    if (!std::isnan(one.difference.error)) {  // there are two rows at least
      errors.y.push_back(row);
      errors.x.push_back(one.difference.value - one.difference.error);
      errors.x2.push_back(one.difference.value + one.difference.error);
    }
    picture.words += fmt::format(" {}: elpd_loo {:.1f}, stacking weight {:.2f}.", one.name,
                                 one.total.value, one.stacking);
  }
  panel.marks.push_back(
      {.kind = Mark::Kind::rule_x, .role = Role::reference, .x = {0.0}, .label = "best"});
  if (!errors.x.empty()) panel.marks.push_back(std::move(errors));
  panel.marks.push_back(std::move(points));
  picture.panels.push_back(std::move(panel));
  return picture;
}
}  // namespace

extern const PictureKind compare_picture{
    .name = "compare",
    .summary = "several fits of the same data by their predictions",
    .least_fits = 2,
    .draw = draw_comparison};

}  // namespace credo::report
