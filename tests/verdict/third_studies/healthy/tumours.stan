// Tumours of rats in forty experiments, beta-binomial by mean and concentration: Gelman et al., Bayesian Data Analysis, third
// edition (2013), chapter 5; simulated. The posterior of the concentration has a long tail.
data {
  int<lower=1> J;
  array[J] int<lower=1> rats;
  array[J] int<lower=0> tumours;
}
parameters {
  real<lower=0, upper=1> mu;
  real<lower=0> kappa;
}
model {
  mu ~ beta(1, 4);
  kappa ~ lognormal(2, 1);
  tumours ~ beta_binomial(rats, mu * kappa, (1 - mu) * kappa);
}
generated quantities {
  array[J] real rate;
  for (j in 1:J) {
    rate[j] = beta_rng(mu * kappa + tumours[j], (1 - mu) * kappa + rats[j] - tumours[j]);
  }
}
