// Ordered categories by thresholds of a latent value: P(Y <= k) = F(threshold[k] - eta).
#include <fmt/format.h>

#include "models/regression/families/ordinal_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kLogarithms = R"(  vector log_cumulative(vector up_to) {
    int last = rows(up_to);
    vector[last + 1] all;
    all[1] = up_to[1];
    for (k in 2:last) all[k] = log_diff_exp(up_to[k], up_to[k - 1]);
    all[last + 1] = log1m_exp(up_to[last]);
    return all;
  }
)";
constexpr std::string_view kDensity =
    R"(  real cumulative_lpmf(int y, vector up_to) { return log_cumulative(up_to)[y]; }
  int cumulative_rng(vector up_to) { return categorical_logit_rng(log_cumulative(up_to)); }
)";
std::vector<StanFunction> functions() {
  std::vector<StanFunction> all = link_logarithms();
  all.push_back({"log_cumulative", kLogarithms});
  all.push_back({"cumulative", kDensity});
  return all;
}
bool is_built_in(const FamilyText& t) { return t.link == "logit" || t.link == "probit"; }
std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}(log_up_to_{}({} - {}))", name, t.link, t.threshold, t.eta);
}
std::string built_in(const FamilyText& t, const char* end) {
  return fmt::format("{}{}({}, {})", t.link == "logit" ? "ordered_logistic" : "ordered_probit", end,
                     t.eta, t.threshold);
}
}  // namespace

extern const FamilyRow cumulative_family{
    .name = "cumulative",
    .links = {"logit", "probit", "cloglog", "cauchit"},
    .role = ColumnRole::factor,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = any_number,
    .distribution =
        [](const FamilyText& t) {
          return is_built_in(t) ? built_in(t, "") : call(t, "cumulative");
        },
    .draw =
        [](const FamilyText& t) {
          return is_built_in(t) ? built_in(t, "_rng") : call(t, "cumulative_rng");
        },
    .expected = nullptr,
    .is_ordinal = true,
    .words = "ordered outcome",
    .functions = functions(),
    .row_links = {"cloglog", "cauchit"},
    .probabilities =
        [](const FamilyText& t) {
          return is_built_in(t) ? std::string() : "exp(" + call(t, "log_cumulative") + ")";
        }};
}  // namespace credo::models
