// A mean that doesn't move, filtered as if it were a state: what not to do [murphy2023, 13.3.4]. With drift = 0 particles are weighed
// and copied, never moved: fewer and fewer values are left, and their spread is no longer the posterior's. With drift > 0 there is
// something to move by, and early outcomes are forgotten. credo sample --sampler ibis, pmmh or nuts are for parameters.
//   credo filter examples/filters/static_mean.stan --data examples/filters/static_mean.json --particles 100
functions {
  real initial_rng() {
    return normal_rng(0, 3);
  }
  real initial_lpdf(real x) {
    return normal_lpdf(x | 0, 3);
  }
  real transition_rng(real before, real drift) {
    return drift > 0 ? normal_rng(before, drift) : before;
  }
  real transition_lpdf(real x, real before, real drift) {
    return normal_lpdf(x | before, drift);
  }
  real observation_lpdf(real y, real x) {
    return normal_lpdf(y | x, 1);
  }
}
data {
  int<lower=1> T;
  vector[T] y;
  real<lower=0> drift;
}
