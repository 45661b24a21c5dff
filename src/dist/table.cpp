// The distributions, in alphabetical order.
#include "dist/distribution.hpp"

namespace credo::dist {

extern const Distribution bernoulli, bernoulli_logit, bernoulli_logit_glm, beta, beta_binomial,
    beta_neg_binomial, beta_proportion, binomial, binomial_logit, binomial_logit_glm, categorical,
    categorical_logit, categorical_logit_glm, cauchy, chi_square, dirichlet, dirichlet_multinomial,
    discrete_range, double_exponential, exp_mod_normal, exponential, frechet, gamma,
    gaussian_dlm_obs, gumbel, hypergeometric, inv_chi_square, inv_gamma, inv_wishart,
    inv_wishart_cholesky, lkj_corr, lkj_corr_cholesky, lkj_cov, logistic, loglogistic, lognormal,
    multi_gp, multi_gp_cholesky, multi_normal, multi_normal_cholesky, multi_normal_prec,
    multi_student_t, multi_student_t_cholesky, multinomial, multinomial_logit, neg_binomial,
    neg_binomial_2, neg_binomial_2_log, neg_binomial_2_log_glm, normal, normal_id_glm,
    ordered_logistic, ordered_logistic_glm, ordered_probit, pareto, pareto_type_2, poisson,
    poisson_log, poisson_log_glm, rayleigh, scaled_inv_chi_square, skew_double_exponential,
    skew_normal, std_normal, student_t, uniform, von_mises, weibull, wiener, wishart,
    wishart_cholesky, yule_simon;

namespace {
constexpr std::array kRows{&bernoulli,
                           &bernoulli_logit,
                           &bernoulli_logit_glm,
                           &beta,
                           &beta_binomial,
                           &beta_neg_binomial,
                           &beta_proportion,
                           &binomial,
                           &binomial_logit,
                           &binomial_logit_glm,
                           &categorical,
                           &categorical_logit,
                           &categorical_logit_glm,
                           &cauchy,
                           &chi_square,
                           &dirichlet,
                           &dirichlet_multinomial,
                           &discrete_range,
                           &double_exponential,
                           &exp_mod_normal,
                           &exponential,
                           &frechet,
                           &gamma,
                           &gaussian_dlm_obs,
                           &gumbel,
                           &hypergeometric,
                           &inv_chi_square,
                           &inv_gamma,
                           &inv_wishart,
                           &inv_wishart_cholesky,
                           &lkj_corr,
                           &lkj_corr_cholesky,
                           &lkj_cov,
                           &logistic,
                           &loglogistic,
                           &lognormal,
                           &multi_gp,
                           &multi_gp_cholesky,
                           &multi_normal,
                           &multi_normal_cholesky,
                           &multi_normal_prec,
                           &multi_student_t,
                           &multi_student_t_cholesky,
                           &multinomial,
                           &multinomial_logit,
                           &neg_binomial,
                           &neg_binomial_2,
                           &neg_binomial_2_log,
                           &neg_binomial_2_log_glm,
                           &normal,
                           &normal_id_glm,
                           &ordered_logistic,
                           &ordered_logistic_glm,
                           &ordered_probit,
                           &pareto,
                           &pareto_type_2,
                           &poisson,
                           &poisson_log,
                           &poisson_log_glm,
                           &rayleigh,
                           &scaled_inv_chi_square,
                           &skew_double_exponential,
                           &skew_normal,
                           &std_normal,
                           &student_t,
                           &uniform,
                           &von_mises,
                           &weibull,
                           &wiener,
                           &wishart,
                           &wishart_cholesky,
                           &yule_simon};
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
