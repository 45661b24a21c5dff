// Heights of recruits, of whom those below 165 cm were sent home: a truncated normal distribution: Wachter and Trussell, Journal
// of the American Statistical Association 77 (1982); simulated.
data {
  int<lower=1> N;
  real least;
  vector<lower=least>[N] height;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(170, 5);
  sigma ~ normal(0, 10);
  for (n in 1:N) {
    height[n] ~ normal(mu, sigma) T[least, ];
  }
}
generated quantities {
  real sent_home = normal_cdf(least | mu, sigma);
}
