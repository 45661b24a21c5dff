// Gas for heating by degree days (standardised), with errors that follow an autoregression: Cochrane and Orcutt, Journal of the
// American Statistical Association 44 (1949); simulated, with fifteen weeks ahead.
data {
  int<lower=2> T;
  vector[T] cold;
  vector[T] gas;
}
parameters {
  real alpha;
  real beta;
  real<lower=-1, upper=1> rho;
  real<lower=0> sigma;
}
model {
  vector[T] e = gas - alpha - beta * cold;
  alpha ~ normal(0, 5);
  beta ~ normal(0, 2);
  rho ~ normal(0, 0.5);
  sigma ~ normal(0, 2);
  e[1] ~ normal(0, sigma / sqrt(1 - square(rho)));
  e[2:T] ~ normal(rho * e[1:T - 1], sigma);
}
generated quantities {
  vector[15] ahead;
  ahead[1] = normal_rng(rho * (gas[T] - alpha - beta * cold[T]), sigma);
  for (t in 2:15) {
    ahead[t] = normal_rng(rho * ahead[t - 1], sigma);
  }
}
