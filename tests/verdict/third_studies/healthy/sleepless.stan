// Reaction times of fifteen people who sleep little, by days, with intercepts and slopes of their own that are correlated, not
// centred: Belenky et al., Journal of Sleep Research 12 (2003); simulated.
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> person;
  vector[N] day;
  vector[N] seconds10;
}
parameters {
  vector[2] mu;
  vector<lower=0>[2] tau;
  cholesky_factor_corr[2] L;
  matrix[2, J] z;
  real<lower=0> sigma;
}
transformed parameters {
  matrix[J, 2] u = rep_matrix(mu', J) + (diag_pre_multiply(tau, L) * z)';
}
model {
  mu[1] ~ normal(2.5, 1);
  mu[2] ~ normal(0, 0.5);
  tau[1] ~ normal(0, 0.5);
  tau[2] ~ normal(0, 0.2);
  L ~ lkj_corr_cholesky(2);
  to_vector(z) ~ std_normal();
  sigma ~ normal(0, 0.5);
  seconds10 ~ normal(u[person, 1] + u[person, 2] .* (day - 3.5), sigma);
}
generated quantities {
  real rho = L[2, 1];
}
