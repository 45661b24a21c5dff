// Floods above a threshold, a generalised Pareto distribution, and the level that is passed once in ten thousand floods: Coles, An
// Introduction to Statistical Modeling of Extreme Values (2001), chapter 4; Coles and Tawn, Applied Statistics 45 (1996), on
// priors; simulated. The level grows exponentially with the shape, whose prior is exponential: it has no mean.
// expect: heavy_tails level
// may: xi
// level: note
data {
  int<lower=1> N;
  vector<lower=0>[N] excess;
}
parameters {
  real<lower=0> xi;
  real<lower=0> sigma;
}
model {
  xi ~ exponential(0.5);
  sigma ~ lognormal(0, 1);
  target += -N * log(sigma) - (1 + 1 / xi) * sum(log1p(xi * excess / sigma));
}
generated quantities {
  real level = sigma / xi * (pow(10000, xi) - 1);
}
