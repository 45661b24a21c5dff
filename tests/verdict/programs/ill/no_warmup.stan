// Precise weighings, sampled without a warm-up to save time: every step is far too long.
// expect: stuck_chain
// may: mass drift lp__
// sample: --warmup 0
data {
  int<lower=1> N;
  vector[N] t;
  vector[N] y;
}
parameters {
  real mass;
  real drift;
}
model {
  mass ~ normal(0, 10);
  drift ~ normal(0, 10);
  y ~ normal(mass + drift * t, 0.0005);
}
