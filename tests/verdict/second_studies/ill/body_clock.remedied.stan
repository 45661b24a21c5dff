// Body temperatures of two days by a cosine curve whose amplitude may have either sign while its phase goes round the clock:
// Nelson et al., Chronobiologia 6 (1979), the cosinor; simulated. The opposite amplitude with a phase of half a day more is the
// same curve. Remedied.
data {
  int<lower=1> N;
  vector[N] hour;
  vector[N] temperature;
}
parameters {
  real level;
  vector[2] wave;
  real<lower=0> sigma;
}
model {
  level ~ normal(37, 1);
  wave ~ normal(0, 1);
  sigma ~ normal(0, 0.5);
  temperature ~ normal(level + wave[1] * cos(2 * pi() * hour / 24) + wave[2] * sin(2 * pi() * hour / 24), sigma);
}
