#include <fmt/format.h>

#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow bernoulli_family, beta_family, binomial_family, cumulative_family,
    gamma_family, lognormal_family, negbinomial_family, normal_family, poisson_family,
    student_family;

std::span<const FamilyRow* const> family_rows() {
  static constexpr std::array kRows{&bernoulli_family,   &beta_family,   &binomial_family,
                                    &cumulative_family,  &gamma_family,  &lognormal_family,
                                    &negbinomial_family, &normal_family, &poisson_family,
                                    &student_family};
  return kRows;
}

const FamilyRow* find_family(std::string_view name) {
  for (const FamilyRow* row : family_rows())
    if (row->name == name) return row;
  return nullptr;
}

namespace {
struct LinkRow {
  std::string_view name, inverse;  // {}: the linear predictor
  double (*value)(double mean);
};
constexpr std::array<LinkRow, 9> kLinks{{
    {"identity", "{}", [](double m) { return m; }},
    {"log", "exp({})", [](double m) { return std::log(m); }},
    {"logit", "inv_logit({})", [](double m) { return std::log(m / (1.0 - m)); }},
    {"probit", "Phi({})", [](double) { return 0.0; }},
    {"cloglog", "inv_cloglog({})", [](double m) { return std::log(-std::log1p(-m)); }},
    {"cauchit", "(0.5 + atan({}) / pi())", [](double) { return 0.0; }},
    {"inverse", "inv({})", [](double m) { return 1.0 / m; }},
    {"sqrt", "square({})", [](double m) { return std::sqrt(m); }},
    {"softplus", "log1p_exp({})", [](double m) { return std::log(std::expm1(m)); }},
}};
const LinkRow& find_link(std::string_view name) {
  return *std::ranges::find(kLinks, name, &LinkRow::name);
}
}  // namespace

std::vector<std::string> link_names() {
  std::vector<std::string> names;
  for (const LinkRow& row : kLinks) names.emplace_back(row.name);
  return names;
}
std::string inverse_link(std::string_view link, const std::string& eta) {
  return fmt::format(fmt::runtime(find_link(link).inverse), eta);
}
double link_value(std::string_view link, double mean) { return find_link(link).value(mean); }

}  // namespace credo::models
