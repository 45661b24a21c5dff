// Roaches caught in 262 flats, a Poisson number or, with one probability for all, none. Columns: before the treatment, treated, for the
// elderly; the log of the days that traps were out is an offset.
//   credo optimize examples/texts/roaches.stan --data examples/texts/roaches.csv
data {
  int<lower=1> N;
  array[N] int<lower=0> y;
  vector[N] roach1, treatment, senior;
  vector<lower=0>[N] exposure2;
}
parameters {
  real level;
  vector[3] w;
  real<lower=0, upper=1> none;
}
model {
  vector[N] log_rate = level + w[1] * roach1 + w[2] * treatment + w[3] * senior + log(exposure2);
  for (n in 1 : N) {
    if (y[n] == 0) {
      target += log_sum_exp(log(none), log1m(none) - exp(log_rate[n]));
    } else {
      target += log1m(none) + poisson_log_lpmf(y[n] | log_rate[n]);
    }
  }
}
