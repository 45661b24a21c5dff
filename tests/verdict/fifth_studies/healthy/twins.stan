// Lives of pairs of twins (in units of ten years beyond sixty) joined by Clayton's copula: Clayton, Biometrika 65 (1978); Nelsen, An Introduction to Copulas (2006); simulated. Accused: a skewed association, ratio of two rates.
data {
  int<lower=1> N;
  vector<lower=0>[N] first;
  vector<lower=0>[N] second;
}
parameters {
  real<lower=0> rate_first;
  real<lower=0> rate_second;
  real<lower=0> theta;
}
model {
  rate_first ~ gamma(2, 2);
  rate_second ~ gamma(2, 2);
  theta ~ gamma(2, 1);
  first ~ exponential(rate_first);
  second ~ exponential(rate_second);
  for (n in 1:N) {
    real a = theta * rate_first * first[n];
    real b = theta * rate_second * second[n];
    target += log1p(theta) + (1 + 1 / theta) * (a + b) - (2 + 1 / theta) * log(exp(a) + exp(b) - 1);
  }
}
generated quantities {
  real tau = theta / (theta + 2);
  real ratio = rate_first / rate_second;
  real lower_tail = 2 ^ (-1 / theta);
}
