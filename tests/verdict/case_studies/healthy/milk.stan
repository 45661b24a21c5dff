// Energy of the milk of primates by body mass and share of neocortex, five shares missing: McElreath, Statistical Rethinking,
// 2nd ed., section 15.2; simulated in standardised units.
data {
  int<lower=1> N;
  int<lower=0> M;
  vector[N + M] mass;
  vector[N + M] energy;
  vector[N] cortex;
}
parameters {
  vector[M] missing_cortex;
  real alpha;
  real per_mass;
  real per_cortex;
  real<lower=0> sigma;
  vector[2] centre;
  vector<lower=0>[2] scale;
  cholesky_factor_corr[2] L;
}
transformed parameters {
  vector[N + M] all_cortex = append_row(cortex, missing_cortex);
}
model {
  alpha ~ normal(0, 0.5);
  per_mass ~ normal(0, 0.5);
  per_cortex ~ normal(0, 0.5);
  sigma ~ exponential(1);
  centre ~ normal(0, 0.5);
  scale ~ exponential(1);
  L ~ lkj_corr_cholesky(2);
  for (n in 1:N + M) {
    [mass[n], all_cortex[n]]' ~ multi_normal_cholesky(centre, diag_pre_multiply(scale, L));
  }
  energy ~ normal(alpha + per_mass * mass + per_cortex * all_cortex, sigma);
}
generated quantities {
  real correlation = L[2, 1];
}
