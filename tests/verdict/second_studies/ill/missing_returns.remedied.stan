// Daily returns of a share with Cauchy errors, two of them missing and drawn as parameters: Mandelbrot, Journal of Business 36
// (1963); Stan User's Guide, chapter on missing data; simulated. A missing value has the errors' tails. Remedied.
data {
  int<lower=1> N;
  vector[N] seen;
}
parameters {
  real location;
  real<lower=0> scale;
  vector[2] missing;
}
model {
  location ~ normal(0, 1);
  scale ~ normal(0, 2);
  seen ~ student_t(5, location, scale);
  missing ~ student_t(5, location, scale);
}
