// Weight gains of pigs on three feeds, an intercept and an effect of every feed, all with wide priors: the trap of dummy
// variables, Suits, Journal of the American Statistical Association 52 (1957); Gelman and Hill, chapter 4; simulated.
// expect: flat_direction alpha/beta
// may: alpha beta
data {
  int<lower=1> N;
  array[N] int<lower=1, upper=3> feed;
  vector[N] gain;
}
parameters {
  real alpha;
  vector[3] beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 100);
  beta ~ normal(0, 100);
  sigma ~ normal(0, 5);
  gain ~ normal(alpha + beta[feed], sigma);
}
