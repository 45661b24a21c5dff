// Small programs with a known illness, and healthy ones, for tests of verdicts.
#pragma once
#include <string>
#include <vector>

namespace credo::verdict {

struct TestProgram {
  std::string name, finding, parameter;  // no finding: healthy
  std::string text, data;
};

inline const std::string kRegression =
    R"({"N": 12, "x": [-1.6, -1.2, -0.9, -0.6, -0.3, -0.1, 0.2, 0.4, 0.7, 1.0, 1.3, 1.7],
        "y": [-2.9, -2.0, -1.9, -0.8, -0.6, 0.1, 0.7, 0.5, 1.8, 1.9, 2.8, 3.1]})";
inline const std::string kSchools =
    R"({"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]})";

inline std::vector<TestProgram> ill_programs() {
  return {
      {"neal", "funnel", "v",
       "parameters { real v; vector[9] x; } model { v ~ normal(0, 3); x ~ normal(0, exp(v / 2)); }",
       ""},
      {"centred schools", "funnel", "tau",
       "data { int J; vector[J] y; vector<lower=0>[J] sigma; } parameters { real mu; real<lower=0> "
       "tau; vector[J] theta; } model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); theta ~ normal(mu, "
       "tau); y ~ normal(theta, sigma); }",
       kSchools},
      {"two modes", "multimodal", "x",
       "parameters { real x; } model { target += log_mix(0.4, normal_lpdf(x | -9, 1), "
       "normal_lpdf(x | 10, 1)); }",
       ""},
      {"mixture", "label_switching", "mu",
       "data { int N; vector[N] y; } parameters { vector[2] mu; real<lower=0, upper=1> w; } model "
       "{ mu ~ "
       "normal(0, 10); for (n in 1:N) target += log_mix(w, normal_lpdf(y[n] | mu[1], 1), "
       "normal_lpdf(y[n] | mu[2], 1)); }",
       R"({"N": 12, "y": [-5.1, -4.2, -5.9, -6.3, -4.6, -5.2, 5.4, 4.1, 6.0, 5.2, 4.6, 5.1]})"},
      {"sum of two", "flat_direction", "a",
       "data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; real<lower=0> s; } "
       "model { a "
       "~ normal(0, 100); b ~ normal(0, 100); s ~ normal(0, 2); y ~ normal(a + b + 2 * x, s); }",
       kRegression},
      {"no prior", "improper", "b", "parameters { real a; real b; } model { a ~ normal(0, 1); }",
       ""},
      {"separated", "improper", "slope",
       "data { int N; vector[N] x; array[N] int y; } parameters { real a; real slope; } model { a "
       "~ "
       "normal(0, 1); y ~ bernoulli_logit(a + slope * x); }",
       R"({"N": 6, "x": [-3, -2, -1, 1, 2, 3], "y": [0, 0, 0, 1, 1, 1]})"},
      {"cauchy", "heavy_tails", "x", "parameters { vector[2] x; } model { x ~ cauchy(0, 1); }", ""},
      {"two data", "heavy_tails", "s",
       "parameters { real m; real<lower=0> s; } model { target += -log(s) + normal_lpdf([1, 3]' | "
       "m, s); }",
       ""},
      {"positive slope", "at_bound", "b",
       "data { int N; vector[N] x; vector[N] y; } parameters { real a; real<upper=0.5> b; "
       "real<lower=0> s; "
       "} model { a ~ normal(0, 5); b ~ normal(0, 5); s ~ normal(0, 2); y ~ normal(a + b * x, s); "
       "}",
       kRegression},
      {"scale without bound", "missing_constraint", "s",
       "data { int N; vector[N] x; vector[N] y; } parameters { real a; real s; } model { a ~ "
       "normal(0, 5); "
       "y ~ normal(a + 2 * x, s); }",
       kRegression},
      {"jump in the density", "divergences", "x",
       "parameters { real x; real y; } model { x ~ normal(0, 1); y ~ normal(0, 1); if (x > 0.5) "
       "target += -1e4 * square(x - 0.5); }",
       ""},
  };
}

inline std::vector<TestProgram> healthy_programs() {
  return {
      {"normal", "", "", "parameters { vector[5] x; } model { x ~ normal(0, 1); }", ""},
      {"half normal scale", "", "", "parameters { real<lower=0> s; } model { s ~ normal(0, 1); }",
       ""},
      {"exponential rate", "", "",
       "data { int y; } parameters { real<lower=0> r; } model { r ~ exponential(1); y ~ "
       "poisson(r); }",
       R"({"y": 0})"},
      {"all succeed", "", "",
       "data { int n; } parameters { real<lower=0, upper=1> p; } model { n ~ binomial(n, p); }",
       R"({"n": 20})"},
      {"regression", "", "",
       "data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; real<lower=0> s; } "
       "model { s ~ "
       "exponential(1); y ~ normal(a + b * x, s); } generated quantities { real r = "
       "student_t_rng(4, 0, 1); "
       "int k = poisson_rng(0.1); real c = 3; }",
       kRegression},
      {"schools", "", "",
       "data { int J; vector[J] y; vector<lower=0>[J] sigma; } parameters { real mu; real<lower=0> "
       "tau; vector[J] z; } transformed parameters { vector[J] theta = mu + tau * z; } model { mu "
       "~ "
       "normal(0, 5); tau ~ normal(0, 5); z ~ std_normal(); y ~ normal(theta, sigma); }",
       kSchools},
      {"simplex and factor", "", "",
       "parameters { simplex[4] p; cholesky_factor_corr[3] L; ordered[3] o; } model { p ~ "
       "dirichlet(rep_vector(2, 4)); L ~ lkj_corr_cholesky(2); o ~ normal(0, 1); }",
       ""},
      {"student", "", "", "parameters { vector[3] x; } model { x ~ student_t(4, 0, 1); }", ""},
      {"two modes that mix", "", "",
       "parameters { real x; } model { target += log_mix(0.5, normal_lpdf(x | -1.6, 1), "
       "normal_lpdf(x | "
       "1.6, 1)); }",
       ""},
  };
}

}  // namespace credo::verdict
