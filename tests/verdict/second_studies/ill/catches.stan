// Catches of a fishery by a quadratic curve of the calendar year, not centred: Gelman and Hill, chapter 4.2 (centre the
// inputs); McElreath, Statistical Rethinking, chapter 4.5; simulated. The three coefficients are correlated beyond 0.9999.
// expect: tree_depth alpha/beta/gamma
// expect: flat_direction alpha/beta/gamma
// may: alpha beta gamma
data {
  int<lower=1> N;
  vector[N] year;
  vector[N] tonnes;
}
parameters {
  real alpha;
  real beta;
  real gamma;
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 5);
  tonnes ~ normal(alpha + beta * year + gamma * square(year), sigma);
}
