// A series with two breaks and a model with one: Bai and Perron (1998); Carlin, Gelfand and Smith (1992); simulated. The break
// is found at either place.
// Remedied: two breaks in order.
data {
  int<lower=1> T;
  vector[T] y;
}
transformed data {
  vector[T] time = linspaced_vector(T, 0, T - 1);
}
parameters {
  ordered[2] break_at;
  real between;
  real before;
  real after;
  real<lower=0> sigma;
}
model {
  before ~ normal(0, 10);
  break_at ~ normal(T / 2.0, T / 3.0);
  between ~ normal(0, 10);
  after ~ normal(0, 10);
  sigma ~ normal(0, 5);
  y ~ normal(before + (between - before) * inv_logit(2 * (time - break_at[1]))
             + (after - between) * inv_logit(2 * (time - break_at[2])), sigma);
}
