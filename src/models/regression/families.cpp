#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/regression/family.hpp"

namespace credo::models {
extern const FamilyRow acat_family, asymmetric_laplace_family, bernoulli_family, beta_family,
    beta_binomial_family, binomial_family, categorical_family, com_poisson_family, cox_family,
    cratio_family, cumulative_family, dirichlet_family, dirichlet_multinomial_family,
    exgaussian_family, exponential_family, gamma_family, geometric_family, gev_family,
    hurdle_gamma_family, hurdle_lognormal_family, hurdle_negbinomial_family, hurdle_poisson_family,
    inverse_gaussian_family, lognormal_family, multinomial_family, multinomial_probit_family,
    negbinomial_family, negbinomial1_family, normal_family, poisson_family, skew_normal_family,
    sratio_family, student_family, von_mises_family, weibull_family, wiener_family,
    zero_inflated_beta_family, zero_inflated_binomial_family, zero_inflated_com_poisson_family,
    zero_inflated_negbinomial_family, zero_inflated_poisson_family, zero_one_inflated_beta_family;

std::span<const FamilyRow* const> family_rows() {
  static constexpr std::array kRows{&acat_family,
                                    &asymmetric_laplace_family,
                                    &bernoulli_family,
                                    &beta_family,
                                    &beta_binomial_family,
                                    &binomial_family,
                                    &categorical_family,
                                    &com_poisson_family,
                                    &cox_family,
                                    &cratio_family,
                                    &cumulative_family,
                                    &dirichlet_family,
                                    &dirichlet_multinomial_family,
                                    &exgaussian_family,
                                    &exponential_family,
                                    &gamma_family,
                                    &geometric_family,
                                    &gev_family,
                                    &hurdle_gamma_family,
                                    &hurdle_lognormal_family,
                                    &hurdle_negbinomial_family,
                                    &hurdle_poisson_family,
                                    &inverse_gaussian_family,
                                    &lognormal_family,
                                    &multinomial_family,
                                    &multinomial_probit_family,
                                    &negbinomial_family,
                                    &negbinomial1_family,
                                    &normal_family,
                                    &poisson_family,
                                    &skew_normal_family,
                                    &sratio_family,
                                    &student_family,
                                    &von_mises_family,
                                    &weibull_family,
                                    &wiener_family,
                                    &zero_inflated_beta_family,
                                    &zero_inflated_binomial_family,
                                    &zero_inflated_com_poisson_family,
                                    &zero_inflated_negbinomial_family,
                                    &zero_inflated_poisson_family,
                                    &zero_one_inflated_beta_family};
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
constexpr std::array<LinkRow, 10> kLinks{{
    {"identity", "{}", [](double m) { return m; }},
    {"log", "exp({})", [](double m) { return std::log(m); }},
    {"logit", "inv_logit({})", [](double m) { return std::log(m / (1.0 - m)); }},
    {"probit", "Phi({})", [](double) { return 0.0; }},
    {"cloglog", "inv_cloglog({})", [](double m) { return std::log(-std::log1p(-m)); }},
    {"cauchit", "(0.5 + atan({}) / pi())", [](double) { return 0.0; }},
    {"inverse", "inv({})", [](double m) { return 1.0 / m; }},
    {"sqrt", "square({})", [](double m) { return std::sqrt(m); }},
    {"softplus", "log1p_exp({})", [](double m) { return std::log(std::expm1(m)); }},
    {"tan_half", "(2 * atan({}))", [](double m) { return std::tan(0.5 * m); }},
}};
const LinkRow& find_link(std::string_view name) {
  return *std::ranges::find(kLinks, name, &LinkRow::name);
}
}  // namespace

bool FamilyParameter::accepts(double value) const {
  const auto bound = [&](std::string_view word) {
    const std::size_t at = declaration.find(word);
    if (at == declaration.npos) return std::optional<double>();
    const std::size_t begin = at + word.size(), end = declaration.find_first_of(",>", begin);
    return io::parse_number(std::string_view(declaration).substr(begin, end - begin));
  };
  const auto least = bound("lower="), most = bound("upper=");
  return std::isfinite(value) && (!least || value > *least) && (!most || value < *most);
}

FamilyRequest parse_family(const std::string& text) {
  const std::size_t open = text.find('(');
  FamilyRequest wanted{.name = text.substr(0, text.find_first_of("( "))};
  if (open == text.npos) return wanted;
  const std::size_t close = text.rfind(')');
  if (close == text.npos || close + 1 != text.size()) {
    wanted.fault = fmt::format("{} has no closing parenthesis", text);
    return wanted;
  }
  std::string inner = text.substr(open + 1, close - open - 1);
  std::erase(inner, ' ');
  for (std::size_t begin = 0; begin < inner.size();) {
    const std::size_t end = std::min(inner.find(',', begin), inner.size());
    const std::string_view part = std::string_view(inner).substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    const auto value =
        equals == part.npos ? std::nullopt : io::parse_number(part.substr(equals + 1));
    if (value)
      wanted.fixed[std::string(part.substr(0, equals))] = *value;
    else
      wanted.fault = fmt::format("{} isn't PARAMETER = NUMBER", part);
    begin = end + 1;
  }
  return wanted;
}

std::vector<std::string> components_in(const std::string& text) {
  const std::size_t open = text.find('('), close = text.rfind(')');
  std::vector<std::string> names;
  if (open == text.npos || close == text.npos) return names;
  std::string inner = text.substr(open + 1, close - open - 1);
  std::erase(inner, ' ');
  for (std::size_t begin = 0; begin < inner.size();) {
    const std::size_t end = std::min(inner.find(',', begin), inner.size());
    names.push_back(inner.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

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
