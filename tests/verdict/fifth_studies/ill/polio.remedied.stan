// Monthly cases of poliomyelitis, Poisson with a latent autoregression: Zeger, Biometrika 75 (1988); Chan and Ledolter, Journal of
// the American Statistical Association 90 (1995); simulated. Small counts say little of the scale that a hundred and twenty latent
// values share. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=2> T;
  array[T] int<lower=0> cases;
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
}
model {
  mu ~ normal(0, 1);
  phi ~ beta(8, 3);
  sigma ~ normal(0, 0.5);
  z ~ std_normal();
  cases ~ poisson_log(mu + h);
}
