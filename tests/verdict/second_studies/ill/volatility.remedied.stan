// Returns of an exchange rate with stochastic volatility, log volatilities as parameters: Kim, Shephard and Chib, Review of
// Economic Studies 65 (1998); Stan User's Guide, chapter on time series; simulated with 70 days, which say little of the
// volatility's spread. Remedied.
// sample: --adapt-delta 0.99
data {
  int<lower=2> T;
  vector[T] returns;
}
parameters {
  real mu;
  real<lower=0, upper=1> phi;
  real<lower=0> sigma;
  vector[T] z;
}
transformed parameters {
  vector[T] h = sigma * z;
  h[1] /= sqrt(1 - square(phi));
  for (t in 2:T) {
    h[t] += phi * h[t - 1];
  }
  h += mu;
}
model {
  mu ~ normal(0, 1);
  phi ~ beta(20, 3);
  sigma ~ normal(0, 0.5);
  z ~ std_normal();
  returns ~ normal(0, exp(h / 2));
}
