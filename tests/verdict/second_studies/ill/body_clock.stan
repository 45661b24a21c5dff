// Body temperatures of two days by a cosine curve whose amplitude may have either sign while its phase goes round the clock:
// Nelson et al., Chronobiologia 6 (1979), the cosinor; simulated. The opposite amplitude with a phase of half a day more is the
// same curve.
// sample: --chains 8
// expect: multimodal amplitude/phase
// expect: label_switching amplitude/phase
// may: amplitude phase
data {
  int<lower=1> N;
  vector[N] hour;
  vector[N] temperature;
}
parameters {
  real level;
  real amplitude;
  real<lower=0, upper=24> phase;
  real<lower=0> sigma;
}
model {
  level ~ normal(37, 1);
  amplitude ~ normal(0, 1);
  sigma ~ normal(0, 0.5);
  temperature ~ normal(level + amplitude * cos(2 * pi() * (hour - phase) / 24), sigma);
}
