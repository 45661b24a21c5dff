// Catches of a fishery by a quadratic curve of the calendar year, not centred: Gelman and Hill, chapter 4.2 (centre the
// inputs); McElreath, Statistical Rethinking, chapter 4.5; simulated. The three coefficients are correlated beyond 0.9999.
// Remedied.
data {
  int<lower=1> N;
  vector[N] year;
  vector[N] tonnes;
}
transformed data {
  vector[N] time = year - mean(year);
}
parameters {
  real alpha;
  real beta;
  real gamma;
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 5);
  tonnes ~ normal(alpha + beta * time + gamma * square(time), sigma);
}
