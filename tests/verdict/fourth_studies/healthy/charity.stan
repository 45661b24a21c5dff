// Gifts to charity (in hundreds) by (standardised) income, of which many are zero, a Tobit model: Tobin, Econometrica 26 (1958);
// simulated.
data {
  int<lower=1> N;
  vector[N] income;
  vector<lower=0>[N] gift;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  sigma ~ normal(0, 3);
  for (n in 1:N) {
    real mu = alpha + beta * income[n];
    target += gift[n] == 0 ? normal_lcdf(0 | mu, sigma) : normal_lpdf(gift[n] | mu, sigma);
  }
}
generated quantities {
  real gift_of_rich = fmax(0, normal_rng(alpha + 2 * beta, sigma));
}
