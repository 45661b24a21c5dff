data {
  int<lower=0> N; // animals, all released at the first occasion
  int<lower=2> T;
  array[N, T] int<lower=0, upper=1> seen;
}
parameters {
  vector<lower=0, upper=1>[T - 1] survival;
  real<lower=0, upper=1> recapture;
  array[N, T] int<lower=0, upper=1> alive;
}
model {
  survival ~ beta(4, 2);
  for (n in 1:N) {
    alive[n, 1] ~ bernoulli(1);
    for (t in 2:T) {
      alive[n, t] ~ bernoulli(alive[n, t - 1] * survival[t - 1]);
      seen[n, t] ~ bernoulli(alive[n, t] * recapture);
    }
  }
}
generated quantities {
  matrix[N, T] p;
  for (n in 1:N) {
    for (t in 1:T) {
      p[n, t] = alive[n, t];
    }
  }
}
