// Satellites of female horseshoe crabs by the width of the shell, negative binomial: Brockmann, Ethology 102 (1996); Agresti,
// Categorical Data Analysis (2013), chapter 4; simulated. Two chains of forty draws.
// expect: few_draws
// may: alpha beta phi
// level: note
// sample: --chains 2 --draws 40
// remedy: --chains 4 --draws 1000
data {
  int<lower=1> N;
  vector[N] width;
  array[N] int<lower=0> satellites;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> phi;
}
model {
  alpha ~ normal(1, 1);
  beta ~ normal(0, 1);
  phi ~ gamma(2, 1);
  satellites ~ neg_binomial_2_log(alpha + beta * (width - 26), phi);
}
