// Gratings seen by contrast in a choice of two, with a rate of lapses: Kuss, Jaekel and Wichmann, Journal of Vision 5 (2005); Wichmann and Hill, Perception and Psychophysics 63 (2001); simulated. Accused: a rate of lapses with its mode at the bound zero, which is right.
data {
  int<lower=1> N;
  vector[N] contrast;
  array[N] int<lower=0> trials;
  array[N] int<lower=0> right;
}
parameters {
  real threshold;
  real<lower=0> width;
  real<lower=0, upper=1> lapses;
}
transformed parameters {
  vector[N] p = 0.5 + 0.5 * (1 - lapses) * inv_logit((contrast - threshold) / width);
}
model {
  threshold ~ normal(-1, 1);
  width ~ lognormal(-0.7, 0.6);
  lapses ~ beta(1, 20);
  right ~ binomial(trials, p);
}
generated quantities {
  array[N] int right_rep = binomial_rng(trials, p);
  int lapses_of_hundred = binomial_rng(100, lapses);
  real weber = exp(threshold + width * logit(0.75)) - exp(threshold);
}
