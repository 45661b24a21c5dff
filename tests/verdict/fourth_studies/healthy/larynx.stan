// Survival of patients with cancer of the larynx in two stages, Weibull and censored at the end of the study: Klein and
// Moeschberger, Survival Analysis (2003), section 1.8; simulated.
data {
  int<lower=1> N;
  vector<lower=0>[N] month;
  array[N] int<lower=0, upper=1> alive;
  vector[N] early;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> shape;
}
model {
  alpha ~ normal(3, 1);
  beta ~ normal(0, 1);
  shape ~ lognormal(0, 0.5);
  for (n in 1:N) {
    real scale = exp(alpha + beta * early[n]);
    target += alive[n] ? weibull_lccdf(month[n] | shape, scale) : weibull_lpdf(month[n] | shape, scale);
  }
}
generated quantities {
  real median_late = exp(alpha) * pow(log2(), 1 / shape);
  real longest = weibull_rng(shape, exp(alpha + beta));
}
