// Refraction of light that leaves a liquid, Snell's law, and the angle expected for a ray from fifty degrees: Hecht, Optics
// (2017), chapter 4; simulated. Beyond the critical angle nothing leaves, and the arc sine of more than one isn't a number.
// expect: missing_values angle
data {
  int<lower=1> N;
  vector[N] inside;
  vector[N] outside;
}
parameters {
  real<lower=1> ratio;
}
model {
  ratio ~ normal(1.3, 0.1);
  sin(outside) ~ normal(ratio * sin(inside), 0.05);
}
generated quantities {
  real angle = asin(ratio * sin(0.87));  // here
}
