// Newcomb's measurements of the speed of light, with two strays, Student's t errors and the smallest replicate: Stigler, Annals
// of Statistics 5 (1977); Gelman et al., Bayesian Data Analysis, chapters 3 and 6.
data {
  int<lower=1> N;
  vector[N] deviation;
}
parameters {
  real<offset=27, multiplier=1> mu;
  real<lower=0> sigma;
  real<lower=0> nu;
}
model {
  mu ~ normal(25, 20);
  sigma ~ student_t(3, 0, 10);
  nu ~ gamma(2, 0.1);
  deviation ~ student_t(nu, mu, sigma);
}
generated quantities {
  real smallest = positive_infinity();
  for (n in 1:N) {
    smallest = fmin(smallest, student_t_rng(nu, mu, sigma));
  }
}
