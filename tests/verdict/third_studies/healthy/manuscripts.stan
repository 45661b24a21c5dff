// Manuscripts that monks finish in a day, many of none since they drank: McElreath, Statistical Rethinking, second edition
// (2020), section 12.2; simulated.
data {
  int<lower=1> N;
  array[N] int<lower=0> y;
}
parameters {
  real ap;
  real al;
}
model {
  real p = inv_logit(ap);
  real lambda = exp(al);
  ap ~ normal(-1.5, 1);
  al ~ normal(1, 0.5);
  for (n in 1:N) {
    if (y[n] == 0) {
      target += log_mix(p, 0, poisson_lpmf(0 | lambda));
    } else {
      target += log1m(p) + poisson_lpmf(y[n] | lambda);
    }
  }
}
generated quantities {
  real p_drink = inv_logit(ap);
  real rate = exp(al);
  array[20] int days;
  for (d in 1:20) {
    days[d] = bernoulli_rng(p_drink) ? 0 : poisson_rng(rate);
  }
}
