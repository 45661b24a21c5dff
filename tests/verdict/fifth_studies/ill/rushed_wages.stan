// Wages by schooling and experience, predictors that aren't centred, with a warm-up of thirty steps and thirty draws a chain:
// Mincer, Schooling, Experience, and Earnings (1974); Vehtari et al., Bayesian Analysis 16 (2021); simulated. A sound posterior
// and a run that is too short to see it.
// expect: few_draws
// expect: not_mixed
// may: alpha by_schooling by_experience sigma lp__
// level: note
// sample: --warmup 30 --draws 30
// remedy: --warmup 1000 --draws 1000
data {
  int<lower=1> N;
  vector[N] schooling;
  vector[N] experience;
  vector[N] wage;
}
parameters {
  real alpha;
  real by_schooling;
  real by_experience;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 10);
  by_schooling ~ normal(0, 2);
  by_experience ~ normal(0, 2);
  sigma ~ normal(0, 2);
  wage ~ normal(alpha + by_schooling * schooling + by_experience * experience, sigma);
}
