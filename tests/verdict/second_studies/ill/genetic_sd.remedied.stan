// A genetic variance as the difference of two sums of squares' expectations, whose root is written out although the difference
// may be negative: Searle, Casella and McCulloch, Variance Components (1992), chapter 3; simulated. Remedied.
data {
  int<lower=1> N;
  vector[N] between;
  vector[N] within;
}
parameters {
  real<lower=0> sd_between;
  real<lower=0> sd_within;
}
model {
  sd_between ~ normal(0, 3);
  sd_within ~ normal(0, 3);
  between ~ normal(0, sd_between);
  within ~ normal(0, sd_within);
}
generated quantities {
  real genetic_variance = square(sd_between) - square(sd_within);
}
