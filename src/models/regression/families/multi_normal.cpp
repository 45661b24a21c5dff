// Several numbers of a row, whose residuals are correlated. The row is made for its columns.
#include <fmt/format.h>

#include "io/data/data_table.hpp"
#include "models/regression/families/column_parts.hpp"

namespace credo::models {
namespace {
FamilyParameter residual_correlations(const std::vector<std::string>& columns,
                                      const std::string& root, const std::string& correlations) {
  FamilyParameter made{
      .name = "rescor",
      .declaration = fmt::format("cholesky_factor_corr[{}] {}", columns.size(), root),
      .prior = "lkj_corr_cholesky(2)",
      .brms = "lkj_corr_cholesky(1)",
      .rstanarm = {},
      .element = root};
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b)
      made.rows.emplace_back(fmt::format("{}.{}.{}", correlations, b + 1, a + 1),
                             fmt::format("rescor({}, {})", columns[a], columns[b]));
  return made;
}
}  // namespace

std::shared_ptr<const FamilyRow> multi_normal_family(const std::vector<std::string>& columns,
                                                     ProgramNames& names) {
  const std::string root = names.take("L_rescor"), correlations = names.take("rescor");
  auto made = std::make_shared<FamilyRow>(FamilyRow{.name = "normal",
                                                    .links = {"identity"},
                                                    .role = ColumnRole::number,
                                                    .scale = PriorScale::outcome,
                                                    .parameters = {},
                                                    .why_not = any_number,
                                                    .distribution = {},
                                                    .draw = {},
                                                    .expected = {},
                                                    .words = "normal outcomes together",
                                                    .locations = Locations::columns,
                                                    .has_columns = true});
  std::vector<std::string> sigmas;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    FamilyParameter sigma = scale_parameter("sigma_" + columns[k]);
    sigma.element = names.take(io::name_for_programs(sigma.name));
    sigma.declaration = "real<lower=0> " + sigma.element;
    sigma.column = k;
    sigmas.push_back(sigma.name);
    made->parameters.push_back(std::move(sigma));
  }
  made->parameters.push_back(residual_correlations(columns, root, correlations));
  made->quantities = {fmt::format("corr_matrix[{}] {} = multiply_lower_tri_self_transpose({})",
                                  columns.size(), correlations, root)};
  const auto call = [sigmas, root](const FamilyText& t, const char* name) {
    std::vector<std::string> own;
    for (const std::string& sigma : sigmas) own.push_back(t[sigma]);
    return fmt::format("{}({}, diag_pre_multiply([{}]', {}))", name, t.eta, fmt::join(own, ", "),
                       root);
  };
  made->distribution = [call](const FamilyText& t) { return call(t, "multi_normal_cholesky"); };
  made->draw = [call](const FamilyText& t) { return call(t, "multi_normal_cholesky_rng"); };
  made->expected = [](const FamilyText& t) { return t.eta; };
  return made;
}

}  // namespace credo::models
