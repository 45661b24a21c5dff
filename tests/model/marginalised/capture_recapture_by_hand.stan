data {
  int<lower=0> N; // animals, all released at the first occasion
  int<lower=2> T;
  array[N, T] int<lower=0, upper=1> seen;
}
transformed data {
  array[N] int last;
  for (n in 1:N) {
    for (t in 1:T) {
      if (seen[n, t] == 1) {
        last[n] = t;
      }
    }
  }
}
parameters {
  vector<lower=0, upper=1>[T - 1] survival;
  real<lower=0, upper=1> recapture;
}
transformed parameters {
  vector[T] unseen; // log of the chance that an animal alive at t isn't seen again
  unseen[T] = 0;
  for (i in 1:T - 1) {
    unseen[T - i] = log_sum_exp(log1m(survival[T - i]),
                                log(survival[T - i]) + log1m(recapture) + unseen[T - i + 1]);
  }
}
model {
  survival ~ beta(4, 2);
  for (n in 1:N) {
    for (t in 2:last[n]) {
      target += log(survival[t - 1]) + bernoulli_lpmf(seen[n, t] | recapture);
    }
    target += unseen[last[n]];
  }
}
generated quantities {
  matrix[N, T] p;
  for (n in 1:N) {
    for (t in 1:T) {
      p[n, t] = t <= last[n]
                ? 1
                : p[n, t - 1] * exp(log(survival[t - 1]) + log1m(recapture) + unseen[t] - unseen[t - 1]);
    }
  }
}
