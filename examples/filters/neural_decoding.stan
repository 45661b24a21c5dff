// Decoding a movement from counts of spikes [murphy2023, 13.4.2.1]: place and velocity (z[1:3], z[4:6]) in three dimensions in steps of dt,
// each pair (z[i], z[i+3]) by [[1, dt], [0, 1]] with noise s^2 [[dt^3/3, dt^2/2], [dt^2/2, dt]]; neuron k of K fires
// y[k] ~ poisson(exp(alpha[k] + beta[k] z)) times. Counts are not normal: --proposal laplace makes a law that knows them, which needs no
// more neurons than dimensions. neural_decoding.json was simulated with K = 20; true_state is what is behind it.
functions {
  vector initial_rng() {
    return to_vector(normal_rng(rep_vector(0, 6), 0.3));
  }
  real initial_lpdf(vector z) {
    return normal_lpdf(z | 0, 0.3);
  }
  // The velocity, and the place given the velocity.
  vector transition_rng(vector before, real dt, real s) {
    vector[6] z;
    for (i in 1:3) {
      real e = normal_rng(0, s * sqrt(dt));
      z[i] = before[i] + dt * before[i + 3] + normal_rng(0.5 * dt * e, s * sqrt(dt^3 / 12));
      z[i + 3] = before[i + 3] + e;
    }
    return z;
  }
  real transition_lpdf(vector z, vector before, real dt, real s) {
    real sum = 0;
    for (i in 1:3) {
      real e = z[i + 3] - before[i + 3];
      sum += normal_lpdf(e | 0, s * sqrt(dt));
      sum += normal_lpdf(z[i] | before[i] + dt * before[i + 3] + 0.5 * dt * e, s * sqrt(dt^3 / 12));
    }
    return sum;
  }
  real observation_lpmf(array[] int y, vector z, vector alpha, matrix beta) {
    return poisson_log_lpmf(y | alpha + beta * z);
  }
}
data {
  int<lower=1> T, K;
  array[T, K] int<lower=0> y;
  vector[K] alpha;
  matrix[K, 6] beta;
  real<lower=0> dt, s;
}
