// Survival of mice in four groups, Weibull, ended after forty weeks: Grieve (1987); BUGS examples, volume 1, "Mice"; simulated.
data {
  int<lower=1> G;
  int<lower=1> N;
  array[N] int<lower=1, upper=G> group;
  vector<lower=0>[N] week;
  array[N] int<lower=0, upper=1> censored;
}
parameters {
  real<lower=0> shape;
  vector[G] log_scale;
}
model {
  shape ~ gamma(4, 2);
  log_scale ~ normal(3, 1);
  for (n in 1:N) {
    if (censored[n]) {
      target += weibull_lccdf(week[n] | shape, exp(log_scale[group[n]]));
    } else {
      target += weibull_lpdf(week[n] | shape, exp(log_scale[group[n]]));
    }
  }
}
generated quantities {
  vector[G] median_survival = exp(log_scale) * pow(log2(), inv(shape));
  vector[G] hazard_ratio = exp(-shape * (log_scale - log_scale[1]));
  int groups = G;
}
