// The distributions, in alphabetical order.
#include "base/row_list.hpp"
#include "base/row_of_file.hpp"
#include "dist/distribution.hpp"

// clang-format off
#define CREDO_ROWS(row) \
  row(bernoulli) \
  row(bernoulli_logit) \
  row(bernoulli_logit_glm) \
  row(beta) \
  row(beta_binomial) \
  row(beta_neg_binomial) \
  row(beta_proportion) \
  row(binomial) \
  row(binomial_logit) \
  row(binomial_logit_glm) \
  row(categorical) \
  row(categorical_logit) \
  row(categorical_logit_glm) \
  row(cauchy) \
  row(chi_square) \
  row(com_poisson) \
  row(com_poisson_log) \
  row(dirichlet) \
  row(dirichlet_multinomial) \
  row(discrete_range) \
  row(double_exponential) \
  row(exp_mod_normal) \
  row(exponential) \
  row(frechet) \
  row(gamma) \
  row(gaussian_dlm_obs) \
  row(gumbel) \
  row(hypergeometric) \
  row(inv_chi_square) \
  row(inv_gamma) \
  row(inv_wishart) \
  row(inv_wishart_cholesky) \
  row(linear_gaussian) \
  row(lkj_corr) \
  row(lkj_corr_cholesky) \
  row(lkj_cov) \
  row(logistic) \
  row(loglogistic) \
  row(lognormal) \
  row(multi_gp) \
  row(multi_gp_cholesky) \
  row(multi_normal) \
  row(multi_normal_cholesky) \
  row(multi_normal_prec) \
  row(multi_student_t) \
  row(multi_student_t_cholesky) \
  row(multinomial) \
  row(multinomial_logit) \
  row(neg_binomial) \
  row(neg_binomial_2) \
  row(neg_binomial_2_log) \
  row(neg_binomial_2_log_glm) \
  row(normal) \
  row(normal_id_glm) \
  row(ordered_logistic) \
  row(ordered_logistic_glm) \
  row(ordered_probit) \
  row(pareto) \
  row(pareto_type_2) \
  row(poisson) \
  row(poisson_log) \
  row(poisson_log_glm) \
  row(rayleigh) \
  row(scaled_inv_chi_square) \
  row(skew_double_exponential) \
  row(skew_normal) \
  row(std_normal) \
  row(student_t) \
  row(uniform) \
  row(von_mises) \
  row(weibull) \
  row(wiener) \
  row(wishart) \
  row(wishart_cholesky) \
  row(yule_simon)
// clang-format on

namespace credo::dist {

using Row = Distribution;
CREDO_ROWS(CREDO_DECLARE_ROW_OF_FILE)

namespace {
constexpr std::array kRows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
}  // namespace

std::span<const Distribution* const> table() {
  static const std::vector<const Distribution*> rows = [] {
    std::vector<const Distribution*> complete;
    for (const Distribution* d : kRows)
      if (!d->only_density) complete.push_back(d);
    return complete;
  }();
  return rows;
}

const Distribution* find(std::string_view name) {
  for (const Distribution* d : kRows) {
    if (d->name == name) return d;
  }
  return nullptr;
}

}  // namespace credo::dist
