// Intensity of polarised light behind a filter that is turned, Malus's law: Hecht, Optics (2017), chapter 8; simulated. The axis
// has a range of all angles, but half a turn of the filter changes nothing. Remedied.
// sample: --chains 12
data {
  int<lower=1> N;
  vector[N] angle;
  vector[N] intensity;
}
parameters {
  real<lower=0, upper=pi()> axis;
  real<lower=0> height;
  real<lower=0> dark;
  real<lower=0> sigma;
}
model {
  height ~ normal(0, 5);
  dark ~ normal(0, 1);
  sigma ~ normal(0, 0.5);
  intensity ~ normal(dark + height * square(cos(angle - axis)), sigma);
}
