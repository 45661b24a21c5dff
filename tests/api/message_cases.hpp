// Programs for coordinate ascent: each in three ways that state one model, and programs that miss conjugacy by one statement.
#pragma once
#include <string>
#include <vector>

namespace credo::testing {

// Texts are parameters and model blocks, below the data block of all cases.
struct MessageCase {
  const char* name;
  std::vector<const char*> ways;
};

inline const char* const kMessageData = R"(
data {
  int N, G, K, P, M;
  vector[N] y;
  array[N] int c, b, cat;
  matrix[N, P] X;
  array[N] int<lower=1, upper=G> g;
  array[M] vector[2] w;
}
)";

inline const char* const kMessageValues = R"({"N": 12, "G": 3, "K": 2, "P": 2, "M": 6,
  "y": [0.31, -0.82, 1.13, 2.24, 0.95, -1.36, 0.47, 3.18, -0.29, 1.71, 0.62, -2.03],
  "c": [0, 3, 1, 7, 2, 0, 5, 1, 4, 9, 0, 2], "b": [1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0],
  "cat": [1, 3, 2, 1, 1, 3, 2, 1, 2, 1, 3, 1],
  "X": [[1, 0.2], [1, -0.4], [1, 0.9], [1, 1.3], [1, -0.8], [1, 0.1], [1, 0.6], [1, -1.1], [1, 0.5], [1, 1.9],
        [1, -0.3], [1, 0.7]],
  "g": [1, 1, 2, 2, 3, 3, 1, 2, 3, 1, 2, 3],
  "w": [[0.3, -0.1], [1.2, 0.4], [-0.7, 0.9], [0.5, -1.1], [0.1, 0.6], [-0.4, 0.2]]})";

inline const std::vector<MessageCase>& message_cases() {
  static const std::vector<MessageCase> kCases{
      {"normal mean",
       {"parameters { real mu; } model { mu ~ normal(0, 2); y ~ normal(mu, 1.5); }",
        "parameters { real mu; } model { mu ~ normal(0, 2); for (n in 1:N) y[n] ~ normal(mu, 1.5); }",
        "parameters { real mu; } model { target += -square(mu) / 8 - log(2) - 0.5 * log(2 * pi()); "
        "target += normal_lpdf(y | mu, 1.5); }"}},
      {"mean and precision",
       {"parameters { real mu; real<lower=0> tau; } model { mu ~ normal(0, 2); tau ~ gamma(2, 1.5); "
        "y ~ normal(mu, inv_sqrt(tau)); }",
        "parameters { real mu; real<lower=0> tau; } model { mu ~ normal(0, 2); tau ~ gamma(2, 1.5); "
        "for (n in 1:N) y[n] ~ normal(mu, 1 / sqrt(tau)); }",
        "parameters { real mu; real<lower=0> tau; } model { mu ~ normal(0, 2); tau ~ gamma(2, 1.5); "
        "target += 0.5 * N * (log(tau) - log(2 * pi())) - 0.5 * tau * dot_self(y - mu); }"}},
      {"mean and variance",
       {"parameters { real mu; real<lower=0> v; } model { mu ~ normal(0, 2); v ~ inv_gamma(2, 1.5); "
        "y ~ normal(mu, sqrt(v)); }",
        "parameters { real mu; real<lower=0> v; } model { mu ~ normal(0, 2); v ~ inv_gamma(2, 1.5); "
        "for (n in 1:N) y[n] ~ normal(mu, v ^ 0.5); }",
        "parameters { real mu; real<lower=0> v; } model { mu ~ normal(0, 2); v ~ inv_gamma(2, 1.5); "
        "target += -0.5 * N * log(2 * pi() * v) - 0.5 * dot_self(y - mu) / v; }"}},
      {"mean and standard deviation without a prior",
       {"parameters { real mu; real<lower=0> s; } model { mu ~ normal(0, 2); y ~ normal(mu, s); }",
        "parameters { real mu; real<lower=0> s; } model { mu ~ normal(0, 2); for (n in 1:N) y[n] ~ normal(mu, s); }",
        "parameters { real mu; real<lower=0> s; } model { mu ~ normal(0, 2); "
        "for (n in 1:N) target += -log(s) - 0.5 * log(2 * pi()) - 0.5 * square((y[n] - mu) / s); }"}},
      {"half-normal standard deviation",
       {"parameters { real mu; real<lower=0> s; } model { mu ~ normal(0, 2); s ~ normal(0, 1); y ~ normal(mu, s); }",
        "parameters { real mu; real<lower=0> s; } model { mu ~ normal(0, 2); s ~ normal(0, 1); "
        "for (n in 1:N) y[n] ~ normal(mu, s); }",
        "parameters { real mu; real<lower=0> s; } model { mu ~ normal(0, 2); target += normal_lpdf(s | 0, 1); "
        "target += normal_lpdf(y - mu | 0, s); }"}},
      {"regression",
       {"parameters { vector[P] beta; real<lower=0> tau; } model { beta ~ normal(0, 3); tau ~ gamma(2, 1); "
        "y ~ normal(X * beta, inv_sqrt(tau)); }",
        "parameters { vector[P] beta; real<lower=0> tau; } model { beta ~ normal(0, 3); tau ~ gamma(2, 1); "
        "for (n in 1:N) y[n] ~ normal(X[n] * beta, inv_sqrt(tau)); }",
        "parameters { vector[P] beta; real<lower=0> tau; } model { beta ~ normal(0, 3); tau ~ gamma(2, 1); "
        "for (n in 1:N) y[n] ~ normal(beta[1] * X[n, 1] + beta[2] * X[n, 2], inv_sqrt(tau)); }"}},
      {"intercept and slope",
       {"parameters { real a, d; } model { a ~ normal(0, 3); d ~ normal(1, 2); y ~ normal(a + d * col(X, 2), 0.7); }",
        "parameters { real a, d; } model { a ~ normal(0, 3); d ~ normal(1, 2); "
        "for (n in 1:N) y[n] ~ normal(a + X[n, 2] * d, 0.7); }",
        "parameters { real a, d; } model { a ~ normal(0, 3); d ~ normal(1, 2); "
        "target += -0.5 * dot_self((y - a - d * X[ : , 2]) / 0.7) - N * log(0.7) - 0.5 * N * log(2 * pi()); }"}},
      {"coefficients with a precision each",
       {"parameters { vector[P] beta; vector<lower=0>[P] a; } model { a ~ gamma(1.5, 1); beta ~ normal(0, inv_sqrt(a)); "
        "y ~ normal(X * beta, 1); }",
        "parameters { vector[P] beta; vector<lower=0>[P] a; } model { for (p in 1:P) { a[p] ~ gamma(1.5, 1); "
        "beta[p] ~ normal(0, inv_sqrt(a[p])); } for (n in 1:N) y[n] ~ normal(X[n] * beta, 1); }",
        "parameters { vector[P] beta; vector<lower=0>[P] a; } model { a ~ gamma(1.5, 1); "
        "target += 0.5 * sum(log(a)) - 0.5 * dot_product(a, square(beta)) - 0.5 * P * log(2 * pi()); "
        "target += normal_lpdf(y | X * beta, 1); }"}},
      {"groups",
       {"parameters { real mu; vector[G] t; real<lower=0> a, tau; } model { mu ~ normal(0, 5); a ~ gamma(2, 2); "
        "tau ~ gamma(2, 2); t ~ normal(mu, inv_sqrt(a)); y ~ normal(t[g], inv_sqrt(tau)); }",
        "parameters { real mu; vector[G] t; real<lower=0> a, tau; } model { mu ~ normal(0, 5); a ~ gamma(2, 2); "
        "tau ~ gamma(2, 2); for (j in 1:G) t[j] ~ normal(mu, inv_sqrt(a)); "
        "for (n in 1:N) y[n] ~ normal(t[g[n]], inv_sqrt(tau)); }",
        "parameters { real mu; vector[G] t; real<lower=0> a, tau; } model { mu ~ normal(0, 5); a ~ gamma(2, 2); "
        "tau ~ gamma(2, 2); t ~ normal(rep_vector(mu, G), 1 / sqrt(a)); "
        "for (n in 1:N) target += normal_lpdf(y[n] - t[g[n]] | 0, 1 / sqrt(tau)); }"}},
      {"a variance for each group",
       {"parameters { real mu; vector<lower=0>[G] tau; } model { mu ~ normal(0, 2); tau ~ gamma(2, 2); "
        "y ~ normal(mu, inv_sqrt(tau[g])); }",
        "parameters { real mu; vector<lower=0>[G] tau; } model { mu ~ normal(0, 2); tau ~ gamma(2, 2); "
        "for (n in 1:N) y[n] ~ normal(mu, inv_sqrt(tau[g[n]])); }",
        "parameters { real mu; vector<lower=0>[G] tau; } model { mu ~ normal(0, 2); for (j in 1:G) tau[j] ~ gamma(2, 2); "
        "target += 0.5 * sum(log(tau[g])) - 0.5 * sum(tau[g] .* square(y - mu)) - 0.5 * N * log(2 * pi()); }"}},
      {"counts",
       {"parameters { real<lower=0> r; } model { r ~ gamma(2, 1); c ~ poisson(r); }",
        "parameters { real<lower=0> r; } model { r ~ gamma(2, 1); for (n in 1:N) c[n] ~ poisson(r); }",
        "parameters { real<lower=0> r; } model { r ~ gamma(2, 1); target += poisson_lpmf(c | r); }"}},
      {"counts of groups with a common rate",
       {"parameters { vector<lower=0>[G] r; real<lower=0> s; } model { s ~ gamma(2, 1); r ~ gamma(1.5, s); c ~ poisson(r[g]); }",
        "parameters { vector<lower=0>[G] r; real<lower=0> s; } model { s ~ gamma(2, 1); for (j in 1:G) r[j] ~ gamma(1.5, s); "
        "for (n in 1:N) c[n] ~ poisson(r[g[n]]); }",
        "parameters { vector<lower=0>[G] r; real<lower=0> s; } model { s ~ gamma(2, 1); "
        "target += G * (1.5 * log(s) - lgamma(1.5)) + sum(0.5 * log(r) - s * r); c ~ poisson(r[g]); }"}},
      {"waiting times",
       {"parameters { real<lower=0> r; } model { r ~ gamma(2, 1); exp(y) ~ exponential(r); }",
        "parameters { real<lower=0> r; } model { r ~ gamma(2, 1); for (n in 1:N) target += exponential_lpdf(exp(y[n]) | r); }",
        "parameters { real<lower=0> r; } model { r ~ gamma(2, 1); target += N * log(r) - r * sum(exp(y)); }"}},
      {"a share",
       {"parameters { real<lower=0, upper=1> q; } model { q ~ beta(2, 3); b ~ bernoulli(q); }",
        "parameters { real<lower=0, upper=1> q; } model { q ~ beta(2, 3); for (n in 1:N) b[n] ~ bernoulli(q); }",
        "parameters { real<lower=0, upper=1> q; } model { q ~ beta(2, 3); target += sum(b) * log(q) + (N - sum(b)) * log1m(q); }"}},
      {"shares of groups",
       {"parameters { vector<lower=0, upper=1>[G] q; } model { q ~ beta(2, 3); b ~ bernoulli(q[g]); }",
        "parameters { vector<lower=0, upper=1>[G] q; } model { for (j in 1:G) q[j] ~ beta(2, 3); "
        "for (n in 1:N) b[n] ~ bernoulli(q[g[n]]); }",
        "parameters { vector<lower=0, upper=1>[G] q; } model { q ~ beta(2, 3); for (n in 1:N) "
        "target += b[n] * log(q[g[n]]) + (1 - b[n]) * log(1 - q[g[n]]); }"}},
      {"binomial counts",
       {"parameters { real<lower=0, upper=1> q; } model { q ~ beta(2, 3); c ~ binomial(10, q); }",
        "parameters { real<lower=0, upper=1> q; } model { q ~ beta(2, 3); for (n in 1:N) c[n] ~ binomial(10, q); }",
        "parameters { real<lower=0, upper=1> q; } model { target += log(q) + 2 * log1m(q) - lbeta(2, 3); "
        "target += binomial_lpmf(c | 10, q); }"}},
      {"categories",
       {"parameters { simplex[3] q; } model { q ~ dirichlet([1.5, 2, 1]'); cat ~ categorical(q); }",
        "parameters { simplex[3] q; } model { q ~ dirichlet([1.5, 2, 1]'); for (n in 1:N) cat[n] ~ categorical(q); }",
        "parameters { simplex[3] q; } model { q ~ dirichlet([1.5, 2, 1]'); for (n in 1:N) target += log(q[cat[n]]); }"}},
      {"two normal components",
       {"parameters { simplex[K] p; vector[K] mu; vector<lower=0>[K] tau; array[N] int<lower=1, upper=K> z; } model { "
        "p ~ dirichlet([2, 2]'); mu ~ normal(0, 3); tau ~ gamma(2, 1); z ~ categorical(p); y ~ normal(mu[z], inv_sqrt(tau[z])); }",
        "parameters { simplex[K] p; vector[K] mu; vector<lower=0>[K] tau; } model { p ~ dirichlet([2, 2]'); mu ~ normal(0, 3); "
        "tau ~ gamma(2, 1); for (n in 1:N) { vector[K] l = log(p); for (k in 1:K) "
        "l[k] += normal_lpdf(y[n] | mu[k], inv_sqrt(tau[k])); target += log_sum_exp(l); } }",
        "parameters { simplex[K] p; vector[K] mu; vector<lower=0>[K] tau; } model { p ~ dirichlet([2, 2]'); mu ~ normal(0, 3); "
        "tau ~ gamma(2, 1); for (n in 1:N) target += log_sum_exp(log(p[1]) + normal_lpdf(y[n] | mu[1], inv_sqrt(tau[1])), "
        "log(p[2]) + normal_lpdf(y[n] | mu[2], inv_sqrt(tau[2]))); }"}},
      {"two components by log_mix",
       {"parameters { real<lower=0, upper=1> p; vector[2] mu; array[N] int<lower=0, upper=1> z; } model { p ~ beta(2, 2); "
        "mu ~ normal(0, 3); z ~ bernoulli(p); for (n in 1:N) y[n] ~ normal(z[n] == 1 ? mu[1] : mu[2], 0.8); }",
        "parameters { real<lower=0, upper=1> p; vector[2] mu; } model { p ~ beta(2, 2); mu ~ normal(0, 3); "
        "for (n in 1:N) target += log_mix(p, normal_lpdf(y[n] | mu[1], 0.8), normal_lpdf(y[n] | mu[2], 0.8)); }",
        "parameters { real<lower=0, upper=1> p; vector[2] mu; } model { p ~ beta(2, 2); mu ~ normal(0, 3); "
        "for (n in 1:N) target += log_sum_exp(log(p) + normal_lpdf(y[n] | mu[1], 0.8), "
        "log1m(p) + normal_lpdf(y[n] | mu[2], 0.8)); }"}},
      {"components of counts",
       {"parameters { simplex[K] p; vector<lower=0>[K] r; array[N] int<lower=1, upper=K> z; } model { p ~ dirichlet([2, 2]'); "
        "r ~ gamma(2, 0.5); z ~ categorical(p); for (n in 1:N) c[n] ~ poisson(r[z[n]]); }",
        "parameters { simplex[K] p; vector<lower=0>[K] r; } model { p ~ dirichlet([2, 2]'); r ~ gamma(2, 0.5); "
        "for (n in 1:N) { vector[K] l; for (k in 1:K) l[k] = log(p[k]) + poisson_lpmf(c[n] | r[k]); target += log_sum_exp(l); } }",
        "parameters { simplex[K] p; vector<lower=0>[K] r; } model { p ~ dirichlet([2, 2]'); r ~ gamma(2, 0.5); "
        "for (n in 1:N) target += log_mix(p, [poisson_lpmf(c[n] | r[1]), poisson_lpmf(c[n] | r[2])]'); }"}},
      {"components of vectors",
       {"parameters { simplex[K] p; array[K] vector[2] m; array[K] cov_matrix[2] L; } model { p ~ dirichlet([2, 2]'); "
        "for (k in 1:K) { m[k] ~ normal(0, 2); L[k] ~ wishart(4, identity_matrix(2)); } for (n in 1:N) "
        "target += log_sum_exp(log(p[1]) + multi_normal_prec_lpdf([y[n], X[n, 2]]' | m[1], L[1]), "
        "log(p[2]) + multi_normal_prec_lpdf([y[n], X[n, 2]]' | m[2], L[2])); }",
        "parameters { simplex[K] p; array[K] vector[2] m; array[K] cov_matrix[2] L; } model { p ~ dirichlet([2, 2]'); "
        "for (k in 1:K) { m[k] ~ normal(0, 2); L[k] ~ wishart(4, identity_matrix(2)); } for (n in 1:N) { vector[K] l = log(p); "
        "for (k in 1:K) l[k] += multi_normal_prec_lpdf([y[n], X[n, 2]]' | m[k], L[k]); target += log_sum_exp(l); } }",
        "parameters { simplex[K] p; array[K] vector[2] m; array[K] cov_matrix[2] L; } model { p ~ dirichlet([2, 2]'); "
        "for (k in 1:K) { m[k] ~ normal(0, 2); L[k] ~ wishart(4, identity_matrix(2)); } for (n in 1:N) { vector[2] u = [y[n], X[n, 2]]'; "
        "target += log_mix(p, [multi_normal_prec_lpdf(u | m[1], L[1]), multi_normal_prec_lpdf(u | m[2], L[2])]'); } }"}},
      {"components of shares",
       {"parameters { simplex[K] p; vector<lower=0, upper=1>[K] q; array[N] int<lower=1, upper=K> z; } model { "
        "p ~ dirichlet([2, 2]'); q ~ beta(1, 2); z ~ categorical(p); for (n in 1:N) c[n] ~ binomial(10, q[z[n]]); }",
        "parameters { simplex[K] p; vector<lower=0, upper=1>[K] q; } model { p ~ dirichlet([2, 2]'); q ~ beta(1, 2); "
        "for (n in 1:N) { vector[K] l = log(p); for (k in 1:K) l[k] += binomial_lpmf(c[n] | 10, q[k]); target += log_sum_exp(l); } }",
        "parameters { simplex[K] p; vector<lower=0, upper=1>[K] q; } model { p ~ dirichlet([2, 2]'); q ~ beta(1, 2); "
        "for (n in 1:N) target += log_sum_exp([log(p[1]) + binomial_lpmf(c[n] | 10, q[1]), "
        "log(p[2]) + binomial_lpmf(c[n] | 10, q[2])]); }"}},
      {"counts with more zeros",
       {"parameters { real<lower=0, upper=1> p; real<lower=0> r; array[N] int<lower=0, upper=1> z; } model { p ~ beta(2, 3); "
        "r ~ gamma(2, 0.5); z ~ bernoulli(p); for (n in 1:N) if (z[n] == 1) { if (c[n] > 0) target += negative_infinity(); } "
        "else c[n] ~ poisson(r); }",
        "parameters { real<lower=0, upper=1> p; real<lower=0> r; } model { p ~ beta(2, 3); r ~ gamma(2, 0.5); "
        "for (n in 1:N) if (c[n] == 0) target += log_sum_exp(log(p), log1m(p) + poisson_lpmf(0 | r)); "
        "else target += log1m(p) + poisson_lpmf(c[n] | r); }",
        "parameters { real<lower=0, upper=1> p; real<lower=0> r; } model { p ~ beta(2, 3); r ~ gamma(2, 0.5); "
        "for (n in 1:N) if (c[n] == 0) target += log_mix(p, 0, -r); "
        "else target += log1m(p) + c[n] * log(r) - r - lgamma(c[n] + 1); }"}},
      {"hidden Markov chain",
       {"parameters { array[K] simplex[K] A; vector[K] mu; array[N] int<lower=1, upper=K> z; } model { for (k in 1:K) "
        "A[k] ~ dirichlet([2, 2]'); mu ~ normal(0, 3); z[1] ~ categorical([0.5, 0.5]'); for (n in 2:N) "
        "z[n] ~ categorical(A[z[n - 1]]); for (n in 1:N) y[n] ~ normal(mu[z[n]], 1); }",
        "parameters { array[K] simplex[K] A; vector[K] mu; } model { array[N] vector[K] f; for (k in 1:K) "
        "A[k] ~ dirichlet([2, 2]'); mu ~ normal(0, 3); for (k in 1:K) f[1, k] = log(0.5) + normal_lpdf(y[1] | mu[k], 1); "
        "for (n in 2:N) for (k in 1:K) { vector[K] from; for (j in 1:K) from[j] = f[n - 1, j] + log(A[j, k]); "
        "f[n, k] = log_sum_exp(from) + normal_lpdf(y[n] | mu[k], 1); } target += log_sum_exp(f[N]); }",
        "parameters { array[K] simplex[K] A; vector[K] mu; } model { vector[K] f; for (k in 1:K) "
        "A[k] ~ dirichlet([2, 2]'); mu ~ normal(0, 3); for (k in 1:K) f[k] = normal_lpdf(y[1] | mu[k], 1) - log(2); "
        "for (n in 2:N) { vector[K] next; for (k in 1:K) next[k] = log_sum_exp(f[1] + log(A[1, k]), f[2] + log(A[2, k])) + "
        "normal_lpdf(y[n] | mu[k], 1); f = next; } target += log_sum_exp(f[1], f[2]); }"}},
      {"precision matrix",
       {"parameters { vector[2] m; cov_matrix[2] L; } model { m ~ normal(0, 2); L ~ wishart(4, identity_matrix(2)); "
        "w ~ multi_normal_prec(m, L); }",
        "parameters { vector[2] m; cov_matrix[2] L; } model { m ~ normal(0, 2); L ~ wishart(4, identity_matrix(2)); "
        "for (i in 1:M) w[i] ~ multi_normal_prec(m, L); }",
        "parameters { vector[2] m; cov_matrix[2] L; } model { m ~ multi_normal_prec([0, 0]', diag_matrix([0.25, 0.25]')); "
        "L ~ wishart(4, identity_matrix(2)); for (i in 1:M) target += multi_normal_prec_lpdf(w[i] - m | [0, 0]', L); }"}},
      {"covariance matrix",
       {"parameters { vector[2] m; cov_matrix[2] S; } model { m ~ normal(0, 2); S ~ inv_wishart(5, identity_matrix(2)); "
        "w ~ multi_normal(m, S); }",
        "parameters { vector[2] m; cov_matrix[2] S; } model { m ~ normal(0, 2); S ~ inv_wishart(5, identity_matrix(2)); "
        "for (i in 1:M) w[i] ~ multi_normal(m, S); }",
        "parameters { vector[2] m; cov_matrix[2] S; } model { m ~ multi_normal([0, 0]', diag_matrix([4, 4]')); "
        "S ~ inv_wishart(5, identity_matrix(2)); for (i in 1:M) target += multi_normal_lpdf(w[i] - m | [0, 0]', S); }"}},
      {"random walk",
       {"parameters { vector[N] x; real<lower=0> q; } model { q ~ gamma(2, 1); x[1] ~ normal(0, 2); "
        "x[2 : N] ~ normal(x[1 : N - 1], inv_sqrt(q)); y ~ normal(x, 0.5); }",
        "parameters { vector[N] x; real<lower=0> q; } model { q ~ gamma(2, 1); x[1] ~ normal(0, 2); "
        "for (n in 2:N) x[n] ~ normal(x[n - 1], inv_sqrt(q)); for (n in 1:N) y[n] ~ normal(x[n], 0.5); }",
        "parameters { vector[N] x; real<lower=0> q; } model { q ~ gamma(2, 1); x[1] ~ normal(0, 2); "
        "target += 0.5 * (N - 1) * (log(q) - log(2 * pi())) - 0.5 * q * dot_self(x[2 : N] - x[1 : N - 1]); "
        "y ~ normal(x, 0.5); }"}},
      {"autoregression",
       {"parameters { real a; real<lower=0> q; } model { a ~ normal(0, 1); q ~ gamma(2, 1); "
        "y[2 : N] ~ normal(a * y[1 : N - 1], inv_sqrt(q)); }",
        "parameters { real a; real<lower=0> q; } model { a ~ normal(0, 1); q ~ gamma(2, 1); "
        "for (n in 2:N) y[n] ~ normal(a * y[n - 1], inv_sqrt(q)); }",
        "parameters { real a; real<lower=0> q; } model { a ~ normal(0, 1); q ~ gamma(2, 1); "
        "for (n in 2:N) target += 0.5 * log(q) - 0.5 * log(2 * pi()) - 0.5 * q * square(y[n] - a * y[n - 1]); }"}},
      {"one factor",
       {"parameters { vector[2] a; vector[M] f; } model { a ~ normal(0, 2); f ~ normal(0, 1); "
        "for (i in 1:M) w[i] ~ normal(a * f[i], 0.6); }",
        "parameters { vector[2] a; vector[M] f; } model { a ~ normal(0, 2); f ~ normal(0, 1); "
        "for (i in 1:M) for (d in 1:2) w[i, d] ~ normal(a[d] * f[i], 0.6); }",
        "parameters { vector[2] a; vector[M] f; } model { a ~ normal(0, 2); f ~ normal(0, 1); "
        "for (d in 1:2) { vector[M] v; for (i in 1:M) v[i] = w[i, d]; v ~ normal(a[d] * f, 0.6); } }"}},
      {"change of rate",
       {"parameters { vector<lower=0>[2] r; int<lower=1, upper=N> s; } model { r ~ gamma(2, 0.5); "
        "for (n in 1:N) c[n] ~ poisson(r[n < s ? 1 : 2]); }",
        "parameters { vector<lower=0>[2] r; } model { vector[N] l; r ~ gamma(2, 0.5); for (s in 1:N) { l[s] = 0; "
        "for (n in 1:N) l[s] += poisson_lpmf(c[n] | r[n < s ? 1 : 2]); } target += log_sum_exp(l); }",
        "parameters { vector<lower=0>[2] r; } model { vector[N] l = rep_vector(0, N); r ~ gamma(2, 0.5); "
        "for (s in 1:N) { for (n in 1:(s - 1)) l[s] += poisson_lpmf(c[n] | r[1]); "
        "for (n in s:N) l[s] += poisson_lpmf(c[n] | r[2]); } target += log_sum_exp(l); }"}},
      {"scales by a common rate",
       {"parameters { vector<lower=0>[G] v; real<lower=0> s; } model { s ~ gamma(2, 1); v ~ inv_gamma(3, s); "
        "y ~ normal(0, sqrt(v[g])); }",
        "parameters { vector<lower=0>[G] v; real<lower=0> s; } model { s ~ gamma(2, 1); for (j in 1:G) v[j] ~ inv_gamma(3, s); "
        "for (n in 1:N) y[n] ~ normal(0, sqrt(v[g[n]])); }",
        "parameters { vector<lower=0>[G] v; real<lower=0> s; } model { s ~ gamma(2, 1); "
        "target += sum(3 * log(s) - lgamma(3) - 4 * log(v) - s * inv(v)); y ~ normal(0, sqrt(v)[g]); }"}},
  };
  return kCases;
}

// The statement that the refusal shows, and a part of the way out.
struct RefusedMessages {
  const char* name;
  const char* text;
  const char *statement, *hint;
};

inline const std::vector<RefusedMessages>& refused_messages() {
  static const std::vector<RefusedMessages> kRefused{
      {"exponential prior of a scale",
       "parameters { real mu; real<lower=0> s; } model { mu ~ normal(0, 2); s ~ exponential(1); y ~ normal(mu, s); }",
       "s ~ exponential(1)", "gamma for a precision"},
      {"gamma prior of a standard deviation",
       "parameters { real mu; real<lower=0> s; } model { mu ~ normal(0, 2); s ~ gamma(2, 1); y ~ normal(mu, s); }",
       "s ~ gamma(2, 1)", "gamma for a precision"},
      {"logits", "parameters { vector[P] beta; } model { beta ~ normal(0, 1); b ~ bernoulli_logit(X * beta); }",
       "b ~ bernoulli_logit(X * beta)", "--method normal"},
      {"log rates", "parameters { real a; } model { a ~ normal(0, 1); c ~ poisson_log(a); }", "c ~ poisson_log(a)",
       "--method normal"},
      {"Student's t", "parameters { real mu; } model { mu ~ normal(0, 1); y ~ student_t(4, mu, 1); }",
       "y ~ student_t(4, mu, 1)", "--method normal"},
      {"Cauchy prior", "parameters { real mu; } model { mu ~ cauchy(0, 1); y ~ normal(mu, 1); }", "mu ~ cauchy(0, 1)",
       "--method normal"},
      {"log scale", "parameters { real mu, s; } model { mu ~ normal(0, 1); s ~ normal(0, 1); y ~ normal(mu, exp(s)); }",
       "y ~ normal(mu, exp(s))", "positive parameter with a gamma"},
      {"ordered means",
       "parameters { ordered[2] mu; } model { mu ~ normal(0, 3); for (n in 1:N) target += log_mix(0.5, "
       "normal_lpdf(y[n] | mu[1], 1), normal_lpdf(y[n] | mu[2], 1)); }",
       "mu is ordered", "without `ordered`"},
      {"a bound that cuts",
       "parameters { real<lower=0, upper=5> tau; } model { tau ~ gamma(2, 1); y ~ normal(0, inv_sqrt(tau)); }",
       "tau", "lower=0"},
      {"unknown shape", "parameters { real<lower=0> a; } model { a ~ gamma(2, 1); exp(y) ~ gamma(a, 2); }",
       "exp(y) ~ gamma(a, 2)", "--method normal"},
      {"sum of variances",
       "parameters { real<lower=0> v; } model { v ~ inv_gamma(2, 1); y ~ normal(0, sqrt(v + 1)); }",
       "y ~ normal(0, sqrt(v + 1))", "parameter of its own"},
      {"normal share", "parameters { real<lower=0, upper=1> q; } model { q ~ normal(0.5, 0.2); b ~ bernoulli(q); }",
       "q ~ normal(0.5, 0.2)", "beta prior"},
      {"softmax", "parameters { vector[3] a; } model { a ~ normal(0, 1); cat ~ categorical_logit(a); }",
       "cat ~ categorical_logit(a)", "--method normal"},
      {"laplace errors", "parameters { real mu; } model { mu ~ normal(0, 1); y ~ double_exponential(mu, 1); }",
       "y ~ double_exponential(mu, 1)", "--method normal"},
      {"correlation matrix",
       "parameters { corr_matrix[2] R; } model { R ~ lkj_corr(2); w ~ multi_normal([0, 0]', R); }", "R has a constraint",
       "cov_matrix"},
      {"power of a mean",
       "parameters { real mu; } model { mu ~ normal(0, 1); y ~ normal(mu ^ 2, 1); }", "y ~ normal(mu ^ 2, 1)",
       "quadratic function"},
  };
  return kRefused;
}

}  // namespace credo::testing
