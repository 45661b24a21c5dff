// Returns of a fund, Student's t with a half-Cauchy prior for its degrees of freedom: Geweke (1993); Juárez and Steel (2010);
// Kruschke (2013) for the use; simulated with normal errors. The likelihood is level for large values, so that the prior's tail
// remains.
// Remedied: the prior of Juárez and Steel.
data {
  int<lower=1> N;
  vector[N] change;
}
parameters {
  real mu;
  real<lower=0> sigma;
  real<lower=1> nu;
}
model {
  mu ~ normal(0, 2);
  sigma ~ normal(0, 2);
  nu ~ gamma(2, 0.1);
  change ~ student_t(nu, mu, sigma);
}
