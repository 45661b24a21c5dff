// Daily rain, many days without, by a hurdle and a gamma distribution: Stern and Coe, Journal of the Royal Statistical Society A
// 147 (1984); simulated.
data {
  int<lower=1> N;
  vector<lower=0>[N] rain;
}
parameters {
  real<lower=0, upper=1> p_wet;
  real<lower=0> shape;
  real<lower=0> mean_rain;
}
model {
  p_wet ~ beta(2, 2);
  shape ~ lognormal(0, 0.5);
  mean_rain ~ lognormal(1.5, 1);
  for (n in 1:N) {
    if (rain[n] == 0) {
      0 ~ bernoulli(p_wet);
    } else {
      1 ~ bernoulli(p_wet);
      rain[n] ~ gamma(shape, shape / mean_rain);
    }
  }
}
generated quantities {
  vector[31] month;
  for (d in 1:31) {
    month[d] = bernoulli_rng(p_wet) ? gamma_rng(shape, shape / mean_rain) : 0;
  }
  real total = sum(month);
}
