// Weight gains of pigs on three feeds, an intercept and an effect of every feed, all with wide priors: the trap of dummy
// variables, Suits, Journal of the American Statistical Association 52 (1957); Gelman and Hill, chapter 4; simulated. Remedied.
data {
  int<lower=1> N;
  array[N] int<lower=1, upper=3> feed;
  vector[N] gain;
}
parameters {
  real alpha;
  vector[2] beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 100);
  beta ~ normal(0, 100);
  sigma ~ normal(0, 5);
  gain ~ normal(alpha + append_row(0, beta)[feed], sigma);
}
