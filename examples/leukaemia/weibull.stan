// Weeks of remission of 42 children, some still in remission when the trial ended [freireich1963].
functions {
  // The density of a relapse that was seen, else the probability that it comes later.
  real remission_lpdf(real weeks, int relapse, real shape, real scale) {
    return relapse == 1 ? weibull_lpdf(weeks | shape, scale) : weibull_lccdf(weeks | shape, scale);
  }
}
data {
  int<lower=0> N;
  int<lower=1> K;
  array[N] int<lower=1, upper=K> treatment;  // 1: 6-MP, 2: placebo
  array[N] int<lower=0, upper=1> relapse;    // 0: still in remission, the time is a lower bound
  vector<lower=0>[N] weeks;
}
parameters {
  real<lower=0> shape;
  vector<lower=0>[K] scale;  // weeks
}
model {
  shape ~ lognormal(0, 0.5);
  scale ~ lognormal(log(20), 1.5);
  for (n in 1:N)
    weeks[n] ~ remission(relapse[n], shape, scale[treatment[n]]);
}
generated quantities {
  vector[K] median_weeks = scale * log(2) ^ inv(shape);
  real hazard_ratio = (scale[1] / scale[2]) ^ shape;  // of placebo to 6-MP
}
