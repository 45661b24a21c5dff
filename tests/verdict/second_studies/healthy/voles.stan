// Voles that were trapped on some of five nights; the number of all voles has the prior 1 / number and follows from those seen:
// Otis et al., Wildlife Monographs 62 (1978), model M0; King et al., Bayesian Analysis for Population Ecology (2009), chapter
// 1; simulated.
data {
  int<lower=1> M;
  int<lower=1> K;
  array[M] int<lower=1, upper=K> captures;
}
parameters {
  real<lower=0, upper=1> p;
}
transformed parameters {
  real ever = 1 - pow(1 - p, K);
}
model {
  p ~ beta(1, 1);
  target += binomial_lpmf(captures | K, p) - M * log(ever);
}
generated quantities {
  int unseen = neg_binomial_rng(M, ever / (1 - ever));
  int number = M + unseen;
}
