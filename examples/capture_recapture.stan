// Animals marked, released and seen again or not; whether each is alive is a discrete parameter [lebreton1992].
data {
  int<lower=0> N; // animals
  int<lower=2> T; // occasions
  array[N] int<lower=1, upper=T> first; // occasion of the first capture
  array[N, T] int<lower=0, upper=1> seen;
}
parameters {
  vector<lower=0, upper=1>[T - 1] survival;
  real<lower=0, upper=1> recapture;
  array[N, T] int<lower=0, upper=1> alive;
}
model {
  for (n in 1:N) {
    for (t in 1:first[n]) {
      alive[n, t] ~ bernoulli(1);
    }
    for (t in first[n] + 1:T) {
      alive[n, t] ~ bernoulli(alive[n, t - 1] * survival[t - 1]);
      seen[n, t] ~ bernoulli(alive[n, t] * recapture);
    }
  }
}
