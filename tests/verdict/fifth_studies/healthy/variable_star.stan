// Brightness of a variable star with a known period, two harmonics: Gregory, Bayesian Logical Data Analysis for the Physical Sciences (2005), chapter 13; Percy, Understanding Variable Stars (2007); simulated. Accused: a phase between the bounds minus pi and pi, an offset and multiplier, a time of maximum.
data {
  int<lower=1> N;
  vector[N] time;
  vector[N] magnitude;
  real<lower=0> period;
}
transformed data {
  vector[N] turn = 2 * pi() * time / period;
}
parameters {
  real<offset=12, multiplier=0.5> level;
  real<lower=0> amplitude;
  real<lower=-pi(), upper=pi()> phase;
  vector[2] second;
  real<lower=0> sigma;
}
model {
  level ~ normal(12, 1);
  amplitude ~ normal(0, 1);
  second ~ normal(0, 0.5);
  sigma ~ normal(0, 0.3);
  magnitude ~ normal(level + amplitude * cos(turn - phase) + second[1] * cos(2 * turn) + second[2] * sin(2 * turn), sigma);
}
generated quantities {
  real time_of_extreme = phase / (2 * pi()) * period;
  real ratio_of_amplitudes = sqrt(dot_self(second)) / amplitude;
  real phase_of_second = atan2(second[2], second[1]);
  array[N] real magnitude_rep = normal_rng(level + amplitude * cos(turn - phase) + second[1] * cos(2 * turn) + second[2] * sin(2 * turn), sigma);
}
