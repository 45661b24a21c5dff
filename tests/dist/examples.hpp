// Parameter values at which the suites look at each distribution: usual ones, and ones that users
// reach in warm-up or with extreme data.
#pragma once
#include "dist/distribution.hpp"

namespace credo::dist {

struct Example {
  std::string_view name;
  std::vector<double> params;
};

inline const std::vector<Example>& usual_examples() {
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
                                        {"com_poisson", {4.0, 2.5}},
                                        {"com_poisson", {6.0, 0.4}},
                                        {"com_poisson_log", {1.5, 1.7}},
                                        {"yule_simon", {2.5}},
                                        {"skew_normal", {0.5, 2.0, 3.0}},
                                        {"von_mises", {0.5, 3.0}},
                                        {"weibull", {0.8, 2.0}},
                                        {"weibull", {5.0, 0.1}}};
  return all;
}

inline std::vector<Example> extreme_examples() {
  return {{"binomial", {1.0, 1e-4}},
          {"binomial_logit", {300.0, -3.5}},
          {"bernoulli_logit", {4.0}},
          {"chi_square", {3e4}},
          {"com_poisson", {0.02, 0.5}},
          {"com_poisson", {800.0, 1.3}},
          {"com_poisson_log", {0.4, 30.0}},
          {"exponential", {1e-6}},
          {"gamma", {1e5, 3.0}},
          {"gamma", {0.02, 1.0}},
          {"gumbel", {-40.0, 0.5}},
          {"hypergeometric", {300.0, 500.0, 700.0}},
          {"hypergeometric", {5.0, 3.0, 2.0}},
          {"inv_gamma", {30.0, 1e4}},
          {"logistic", {1e3, 1e-2}},
          {"neg_binomial", {0.2, 0.01}},
          {"neg_binomial_2", {0.5, 0.05}},
          {"neg_binomial_2_log", {4.0, 0.5}},
          {"normal", {1e6, 1e3}},
          {"pareto", {1e-3, 12.0}},
          {"pareto_type_2", {0.0, 1e3, 30.0}},
          {"poisson", {0.01}},
          {"poisson", {3e4}},
          {"poisson_log", {-3.0}},
          {"poisson_log", {8.0}},
          {"rayleigh", {1e-4}},
          {"beta_proportion", {0.999, 300.0}},
          {"discrete_range", {-4.0, 4.0}},
          {"skew_normal", {0.0, 1.0, -0.4}},
          {"student_t", {30.0, 5.0, 0.01}},
          {"von_mises", {-2.0, 0.3}},
          {"von_mises", {0.0, 500.0}},
          {"yule_simon", {9.0}}};
}

inline const std::vector<Example>& examples() {
  static const std::vector<Example> all = [] {
    std::vector<Example> both = usual_examples();
    for (const Example& e : extreme_examples()) both.push_back(e);
    return both;
  }();
  return all;
}

// Arguments of a multivariate row: of its density, of its draws, and of draws that aren't its own.
struct Setting {
  std::string_view name;
  std::vector<Expr> args, draw_args, other_draw_args;
};

namespace example {
inline Expr column(const std::vector<double>& values) {
  return graph::constant(graph::vector_shape(static_cast<Index>(values.size())), values);
}
inline Expr matrix(Index rows, const std::vector<double>& by_columns) {
  const auto cols = static_cast<Index>(by_columns.size()) / rows;
  return graph::constant(graph::matrix_shape(rows, cols), by_columns);
}
inline const Expr kCovariance = matrix(3, {4.0, 1.2, -0.6, 1.2, 1.0, 0.3, -0.6, 0.3, 2.0});
inline const Expr kDesign = matrix(4, {0.5, -1.0, 2.0, 0.1, 1.0, 0.0, -0.7, 0.4});
}  // namespace example

inline std::vector<Setting> settings() {
  using example::column, example::matrix;
  const Expr s = example::kCovariance, l = cholesky(s),
             q = matrix(3, {2.0, 0.3, 0.1, 0.3, 1.0, -0.2, 0.1, -0.2, 0.5});
  const Expr mu = column({1.0, -2.0, 0.5}), x = example::kDesign, b = column({0.8, -0.5}),
             zero = column({0.0, 0.0});
  const Expr theta = column({0.2, 0.5, 0.3}), other = column({0.3, 0.5, 0.2});
  const Expr cuts = column({-1.0, 0.2, 1.5}), w = column({0.5, 2.0}), w2 = column({0.9, 2.0});
  const Expr effects = matrix(2, {0.3, -0.4, 0.0, 0.9, -1.0, 0.2});
  const auto same = [](std::string_view name, std::vector<Expr> args, std::vector<Expr> off) {
    return Setting{name, args, args, std::move(off)};
  };
  return {same("bernoulli_logit_glm", {x, 0.3, b}, {x, -0.3, b}),
          {"binomial_logit_glm", {20.0, x, 0.3, b}, {20.0, x, 0.3, b}, {20.0, x, 0.0, b}},
          same("categorical", {theta}, {other}),
          same("categorical_logit", {cuts}, {cuts * 1.3}),
          same("categorical_logit_glm", {x, theta, effects}, {x, theta, effects * 0.5}),
          {"dirichlet",
           {column({0.5, 2.0, 3.5})},
           {column({0.5, 2.0, 3.5})},
           {column({0.7, 2.0, 3.5})}},
          {"dirichlet_multinomial",
           {column({0.5, 2.0, 3.5})},
           {column({0.5, 2.0, 3.5}), 30.0},
           {column({0.7, 2.0, 3.5}), 30.0}},
          same("inv_wishart", {20.0, s}, {23.0, s}),
          same("inv_wishart_cholesky", {20.0, l}, {23.0, l}),
          {"lkj_corr", {1.7}, {4.0, 1.7}, {4.0, 2.3}},
          {"lkj_corr_cholesky", {0.8}, {4.0, 0.8}, {4.0, 1.2}},
          same("multi_gp", {s, w}, {s, w2}),
          same("multi_gp_cholesky", {l, w}, {l, w2}),
          same("multi_normal", {mu, s}, {mu, s * 1.7}),
          same("multi_normal_cholesky", {mu, l}, {mu, l * 1.3}),
          same("multi_normal_prec", {mu, q}, {mu, q * 1.7}),
          same("multi_student_t", {5.0, mu, s}, {5.0, mu, s * 1.7}),
          same("multi_student_t_cholesky", {5.0, mu, l}, {5.0, mu, l * 1.3}),
          {"multinomial", {theta}, {theta, 30.0}, {other, 30.0}},
          {"multinomial_logit", {cuts}, {cuts, 30.0}, {cuts * 1.2, 30.0}},
          same("neg_binomial_2_log_glm", {x, 1.0, b, 3.0}, {x, 1.1, b, 3.0}),
          same("normal_id_glm", {x, 1.0, b, 2.0}, {x, 1.0, b, 2.3}),
          same("ordered_logistic", {0.4, cuts}, {1.0, cuts}),
          same("ordered_logistic_glm", {x, b, cuts}, {x, zero, cuts}),
          same("ordered_probit", {0.4, cuts}, {0.8, cuts}),
          same("poisson_log_glm", {x, 1.0, b}, {x, 1.1, b}),
          same("wishart", {5.5, s}, {6.0, s}),
          same("wishart_cholesky", {5.5, l}, {6.0, l})};
}

}  // namespace credo::dist
