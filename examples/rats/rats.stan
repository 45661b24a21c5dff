// Growth of 30 rats: each has a line of its own, drawn from a population of lines [gelfand1990].
data {
  int<lower=0> N;  // weighings
  int<lower=1> J;  // rats
  array[N] int<lower=1, upper=J> rat;
  vector[N] day;
  vector[N] weight;  // g
}
transformed data {
  vector[N] week = (day - 22) / 7;  // from the middle of the study
}
parameters {
  real level, growth;  // of the average rat: g at day 22, g a week
  real<lower=0> sd_level, sd_growth;
  vector[J] own_level, own_growth;
  real<lower=0> sigma;  // of one weighing about its line
}
model {
  level ~ normal(250, 100);
  growth ~ normal(50, 50);
  sd_level ~ normal(0, 50);
  sd_growth ~ normal(0, 20);
  own_level ~ normal(level, sd_level);
  own_growth ~ normal(growth, sd_growth);
  sigma ~ normal(0, 20);
  weight ~ normal(own_level[rat] + own_growth[rat] .* week, sigma);
}
generated quantities {
  real growth_a_day = growth / 7;
  // a rat that nobody has weighed yet, at day 36
  real new_rat = normal_rng(level + 2 * growth, sqrt(square(sd_level) + 4 * square(sd_growth) + square(sigma)));
}
