// Parameter values at which the property suite looks at each univariate distribution: usual ones,
// and ones that users reach in warm-up or with extreme data.
#pragma once
#include "dist/distribution.hpp"

namespace credo::dist {

struct Example {
  std::string_view name;
  std::vector<double> params;
};

inline const std::vector<Example>& examples() {
  static const std::vector<Example> all{{"bernoulli", {0.3}},
                                        {"bernoulli", {0.999}},
                                        {"bernoulli_logit", {-0.7}},
                                        {"beta", {2.5, 1.5}},
                                        {"beta", {0.4, 0.6}},
                                        {"beta", {300.0, 120.0}},
                                        {"binomial", {12.0, 0.3}},
                                        {"binomial", {400.0, 0.85}},
                                        {"binomial_logit", {20.0, 0.4}},
                                        {"cauchy", {1.0, 2.0}},
                                        {"chi_square", {0.8}},
                                        {"chi_square", {7.0}},
                                        {"double_exponential", {-1.0, 0.5}},
                                        {"exponential", {3.0}},
                                        {"gamma", {0.3, 2.0}},
                                        {"gamma", {40.0, 0.1}},
                                        {"beta_proportion", {0.3, 5.0}},
                                        {"rayleigh", {2.0}},
                                        {"frechet", {6.0, 2.0}},
                                        {"gumbel", {1.0, 2.0}},
                                        {"neg_binomial", {3.0, 0.5}},
                                        {"inv_chi_square", {12.0}},
                                        {"scaled_inv_chi_square", {12.0, 1.5}},
                                        {"inv_gamma", {3.5, 2.0}},
                                        {"logistic", {0.5, 1.5}},
                                        {"lognormal", {0.2, 0.7}},
                                        {"neg_binomial_2", {6.0, 2.5}},
                                        {"neg_binomial_2", {30.0, 1e7}},
                                        {"neg_binomial_2_log", {1.5, 3.0}},
                                        {"normal", {-2.0, 3.0}},
                                        {"poisson", {3.5}},
                                        {"poisson", {80.0}},
                                        {"poisson_log", {1.2}},
                                        {"std_normal", {}},
                                        {"student_t", {4.0, 1.0, 2.0}},
                                        {"student_t", {1e8, 0.0, 1.0}},
                                        {"student_t", {0.7, 0.0, 1.0}},
                                        {"uniform", {-1.0, 4.0}},
                                        {"loglogistic", {2.0, 3.5}},
                                        {"loglogistic", {0.7, 8.0}},
                                        {"pareto", {1.5, 3.0}},
                                        {"pareto_type_2", {-1.0, 2.0, 5.0}},
                                        {"skew_double_exponential", {0.5, 1.5, 0.3}},
                                        {"skew_double_exponential", {0.0, 1.0, 0.9}},
                                        {"exp_mod_normal", {-1.0, 0.8, 1.7}},
                                        {"exp_mod_normal", {0.0, 2.0, 0.2}},
                                        {"beta_binomial", {12.0, 2.5, 1.5}},
                                        {"beta_binomial", {60.0, 0.6, 4.0}},
                                        {"beta_neg_binomial", {4.0, 9.0, 3.0}},
                                        {"hypergeometric", {7.0, 9.0, 12.0}},
                                        {"discrete_range", {0.0, 9.0}},
                                        {"yule_simon", {2.5}},
                                        {"skew_normal", {0.5, 2.0, 3.0}},
                                        {"von_mises", {0.5, 3.0}},
                                        {"weibull", {0.8, 2.0}},
                                        {"weibull", {5.0, 0.1}}};
  return all;
}

}  // namespace credo::dist
