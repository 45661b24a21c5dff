data {
  int<lower=2> N;
  vector[N] y;
}
parameters {
  array[2] simplex[2] move;
  ordered[2] mu;
  array[N] int<lower=1, upper=2> z;
}
model {
  move[1] ~ dirichlet([8, 2]');
  move[2] ~ dirichlet([2, 8]');
  mu ~ normal(0, 3);
  for (t in 2:N) {
    z[t] ~ categorical(move[z[t - 1]]);
  }
  y ~ normal(mu[z], 1);
}
generated quantities {
  vector[N] p;
  for (t in 1:N) {
    p[t] = z[t] == 1;
  }
}
