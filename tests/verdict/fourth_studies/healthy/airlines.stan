// Costs of airlines by output, in logarithms, with an inefficiency that only adds to them, a stochastic frontier: Aigner, Lovell
// and Schmidt, Journal of Econometrics 6 (1977); simulated.
data {
  int<lower=1> N;
  vector[N] output;
  vector[N] cost;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
  real<lower=0> inefficiency;
}
model {
  alpha ~ normal(0, 3);
  beta ~ normal(1, 1);
  sigma ~ lognormal(-1.5, 0.5);
  inefficiency ~ lognormal(-1, 0.5);
  {
    vector[N] e = cost - alpha - beta * output;
    real s = sqrt(square(sigma) + square(inefficiency));
    target += normal_lpdf(e | 0, s) + N * log(2) + std_normal_lcdf(e * inefficiency / (sigma * s));
  }
}
