// Six grades of confidence to have heard a tone, signal detection with logistic laws of unequal spread: Dorfman and Alf, Journal of Mathematical Psychology 6 (1969); DeCarlo, Psychological Methods 3 (1998); simulated. Accused: ordered cut-points that are correlated with distance and spread, a sensitivity as a ratio.
data {
  int<lower=3> K;
  array[K] int<lower=0> noise;
  array[K] int<lower=0> signal;
}
parameters {
  ordered[K - 1] cut;
  real distance;
  real<lower=0> spread;
}
model {
  cut ~ normal(0, 3);
  distance ~ normal(1, 2);
  spread ~ lognormal(0, 0.4);
  for (k in 1:K) {
    target += noise[k] * ordered_logistic_lpmf(k | 0, cut);
    target += signal[k] * ordered_logistic_lpmf(k | distance / spread, cut / spread);
  }
}
generated quantities {
  real sensitivity = distance / sqrt(0.5 * (1 + spread ^ 2));
  vector[K - 1] false_alarms = inv_logit(-cut);
  vector[K - 1] hits = inv_logit((distance - cut) / spread);
  array[20] int rating_of_signal;
  for (n in 1:20) {
    rating_of_signal[n] = ordered_logistic_rng(distance / spread, cut / spread);
  }
}
