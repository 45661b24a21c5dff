// Marks in reading of twenty-five children in eight terms, intercepts and slopes that go together, by standard normal ones:
// Singer and Willett, Applied Longitudinal Data Analysis (2003), chapter 4; simulated.
// sample: --adapt-delta 0.9 --draws 2500
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> child;
  vector[N] term;
  vector[N] mark;
}
parameters {
  vector[2] mu;
  vector<lower=0>[2] tau;
  cholesky_factor_corr[2] L;
  matrix[2, J] z;
  real<lower=0> sigma;
}
model {
  matrix[2, J] b = diag_pre_multiply(tau, L) * z;
  mu ~ normal(0, 3);
  tau ~ normal(0, 2);
  L ~ lkj_corr_cholesky(2);
  to_vector(z) ~ std_normal();
  sigma ~ normal(0, 2);
  mark ~ normal(mu[1] + b[1, child]' + (mu[2] + b[2, child]') .* term, sigma);
}
generated quantities {
  real correlation = L[2, 1];
}
