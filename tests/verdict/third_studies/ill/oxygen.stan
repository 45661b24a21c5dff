// When dissolved oxygen falls to zero by a parabola fitted to a night's readings; some parabolas never get there: after Bates and
// Watts, Nonlinear Regression Analysis (1988); simulated.
// expect: missing_values hour_empty
data {
  int<lower=1> N;
  vector[N] hour;
  vector[N] oxygen;
}
parameters {
  real a;
  real b;
  real c;
  real<lower=0> sigma;
}
model {
  a ~ normal(5, 3);
  b ~ normal(0, 3);
  c ~ normal(0, 1);
  sigma ~ normal(0, 1);
  oxygen ~ normal(a + b * hour + c * square(hour), sigma);
}
generated quantities {
  real hour_empty = (-b - sqrt(square(b) - 4 * a * c)) / (2 * c);
}
