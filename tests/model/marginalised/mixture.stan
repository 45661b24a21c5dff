data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real<lower=0, upper=1> share;
  ordered[2] mu;
  real<lower=0> sigma;
  array[N] int<lower=1, upper=2> z;
}
model {
  share ~ beta(2, 2);
  mu ~ normal(0, 3);
  sigma ~ normal(0, 2);
  z ~ categorical([share, 1 - share]');
  y ~ normal(mu[z], sigma);
}
generated quantities {
  vector[N] p;
  for (n in 1:N) {
    p[n] = z[n] == 1;
  }
}
