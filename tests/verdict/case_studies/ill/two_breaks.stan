// A series with two breaks and a model with one: Bai and Perron (1998); Carlin, Gelfand and Smith (1992); simulated. The break
// is found at either place.
// sample: --chains 12
// expect: multimodal break_at
// may: before after sigma
data {
  int<lower=1> T;
  vector[T] y;
}
transformed data {
  vector[T] time = linspaced_vector(T, 0, T - 1);
}
parameters {
  real<lower=0, upper=T> break_at;
  real before;
  real after;
  real<lower=0> sigma;
}
model {
  before ~ normal(0, 10);
  after ~ normal(0, 10);
  sigma ~ normal(0, 5);
  y ~ normal(before + (after - before) * inv_logit(2 * (time - break_at)), sigma);
}
