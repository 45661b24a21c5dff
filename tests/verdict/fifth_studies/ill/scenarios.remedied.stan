// Scenarios of a day's returns of eighty shares, a multivariate t distribution with five degrees of freedom: McNeil, Frey and
// Embrechts, Quantitative Risk Management (2005), section 6.2; no data. All returns are large together, now and then. Remedied:
// the day's scale as a parameter.
data {
  int<lower=1> K;
  real<lower=0> nu;
}
parameters {
  real<lower=0> w;
  vector[K] z;
}
model {
  w ~ gamma(0.5 * nu, 0.5 * nu);
  z ~ std_normal();
}
generated quantities {
  int loss = mean(z) / sqrt(w) < -0.2;
}
