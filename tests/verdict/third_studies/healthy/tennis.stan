// Matches of six players, Bradley and Terry, with strengths that sum to zero, and their ranks: Bradley and Terry, Biometrika 39
// (1952); simulated.
data {
  int<lower=2> K;
  int<lower=1> G;
  array[G] int<lower=1, upper=K> a;
  array[G] int<lower=1, upper=K> b;
  array[G] int<lower=0> matches;
  array[G] int<lower=0> won;
}
parameters {
  vector[K - 1] free;
}
transformed parameters {
  vector[K] strength = append_row(free, -sum(free));
}
model {
  strength ~ normal(0, 1);
  won ~ binomial_logit(matches, strength[a] - strength[b]);
}
generated quantities {
  array[K] int rank_of;
  for (k in 1:K) {
    rank_of[k] = 1 + rank(-strength, k);
  }
  real total = sum(strength);
}
