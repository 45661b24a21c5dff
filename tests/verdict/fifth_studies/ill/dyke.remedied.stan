// Floods above a threshold, a generalised Pareto distribution, and the level that is passed once in ten thousand floods: Coles, An
// Introduction to Statistical Modeling of Extreme Values (2001), chapter 4; Coles and Tawn, Applied Statistics 45 (1996), on
// priors; simulated. The level grows exponentially with the shape, whose prior is exponential: it has no mean. Remedied: a prior
// of shapes of rivers, the level's logarithm.
data {
  int<lower=1> N;
  vector<lower=0>[N] excess;
}
parameters {
  real<lower=0> xi;
  real<lower=0> sigma;
}
model {
  xi ~ lognormal(-1.5, 0.3);
  sigma ~ lognormal(0, 1);
  target += -N * log(sigma) - (1 + 1 / xi) * sum(log1p(xi * excess / sigma));
}
generated quantities {
  real log10_level = log10(sigma / xi * (pow(10000, xi) - 1));
}
