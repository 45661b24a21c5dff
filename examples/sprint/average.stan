// The same times without a curve of parameters: each is predicted by an average of the others, in which the years nearby count more.
data {
  int<lower=2> N;
  vector[N] year;
  vector[N] seconds;
}
parameters {
  real<lower=0> width;  // years
  real<lower=0> sigma;  // s
}
model {
  width ~ inv_gamma(5, 50);
  sigma ~ normal(0, 0.5);
  {
    vector[N] others;
    for (n in 1:N) {
      vector[N] share = exp(-0.5 * square((year - year[n]) / width));
      share[n] = 0;  // a row doesn't predict itself
      others[n] = dot_product(share, seconds) / sum(share);
    }
    seconds ~ normal(others, sigma);
  }
}
generated quantities {
  real next_mean;
  {
    vector[N] share = exp(-0.5 * square((year - 2028) / width));
    next_mean = dot_product(share, seconds) / sum(share);
  }
  real next_time = normal_rng(next_mean, sigma);
}
