data {
  int T;
  vector[T] y;
}
parameters {
  real c;
  real a;
  real b;
  real<lower=0> sigma;
}
model {
  for (t in 3 : T) {
    real mu = c;
    mu += a * y[t - 1];
    mu += b * y[t - 2];
    y[t] ~ student_t(5, mu, sigma);
  }
}
