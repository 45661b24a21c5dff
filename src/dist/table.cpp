// The distributions, in alphabetical order.
#include "dist/distribution.hpp"

namespace credo::dist {

extern const Distribution bernoulli, bernoulli_logit, bernoulli_logit_glm, beta, beta_proportion,
    binomial, binomial_logit, categorical, categorical_logit, cauchy, chi_square, dirichlet,
    double_exponential, exponential, frechet, gamma, gumbel, inv_chi_square, inv_gamma, lkj_corr,
    lkj_corr_cholesky, logistic, lognormal, multi_normal, multi_normal_cholesky, multi_normal_prec,
    multi_student_t, neg_binomial, neg_binomial_2, neg_binomial_2_log, neg_binomial_2_log_glm,
    normal, normal_id_glm, ordered_logistic, poisson, poisson_log, poisson_log_glm, rayleigh,
    scaled_inv_chi_square, std_normal, student_t, uniform, weibull;

std::span<const Distribution* const> table() {
  static const std::array rows{&bernoulli,
                               &bernoulli_logit,
                               &bernoulli_logit_glm,
                               &beta,
                               &beta_proportion,
                               &binomial,
                               &binomial_logit,
                               &categorical,
                               &categorical_logit,
                               &cauchy,
                               &chi_square,
                               &dirichlet,
                               &double_exponential,
                               &exponential,
                               &frechet,
                               &gamma,
                               &gumbel,
                               &inv_chi_square,
                               &inv_gamma,
                               &lkj_corr,
                               &lkj_corr_cholesky,
                               &logistic,
                               &lognormal,
                               &multi_normal,
                               &multi_normal_cholesky,
                               &multi_normal_prec,
                               &multi_student_t,
                               &neg_binomial,
                               &neg_binomial_2,
                               &neg_binomial_2_log,
                               &neg_binomial_2_log_glm,
                               &normal,
                               &normal_id_glm,
                               &ordered_logistic,
                               &poisson,
                               &poisson_log,
                               &poisson_log_glm,
                               &rayleigh,
                               &scaled_inv_chi_square,
                               &std_normal,
                               &student_t,
                               &uniform,
                               &weibull};
  return rows;
}

const Distribution* find(std::string_view name) {
  for (const Distribution* d : table()) {
    if (d->name == name) return d;
  }
  return nullptr;
}

}  // namespace credo::dist
