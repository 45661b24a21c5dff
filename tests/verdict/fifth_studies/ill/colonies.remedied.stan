// Colonies of bacteria on plates by the volume of water, a straight line with Poisson counts: Cameron and Trivedi, Regression
// Analysis of Count Data (2013), section 3.3 (additive models); simulated. What grows without any water is a rate too, and it was
// declared as any real number. Remedied.
data {
  int<lower=1> N;
  vector<lower=0>[N] volume;
  array[N] int<lower=0> colonies;
}
parameters {
  real<lower=0> contamination;
  real<lower=0> per_millilitre;
}
model {
  contamination ~ gamma(2, 4);
  per_millilitre ~ normal(0, 10);
  colonies ~ poisson(contamination + per_millilitre * volume);
}
