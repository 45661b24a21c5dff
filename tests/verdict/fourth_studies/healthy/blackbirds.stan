// Visits out of four at which blackbirds were heard, by cover of trees, with occupied and other sites: MacKenzie et al., Ecology
// 83 (2002); simulated.
data {
  int<lower=1> S;
  int<lower=1> V;
  vector[S] cover;
  array[S] int<lower=0, upper=V> heard;
}
parameters {
  real alpha;
  real beta;
  real<lower=0, upper=1> p;
}
model {
  alpha ~ normal(0, 1.5);
  beta ~ normal(0, 1.5);
  p ~ beta(1, 1);
  for (s in 1:S) {
    real logit_psi = alpha + beta * cover[s];
    if (heard[s] > 0) {
      target += log_inv_logit(logit_psi) + binomial_lpmf(heard[s] | V, p);
    } else {
      target += log_sum_exp(log_inv_logit(logit_psi) + V * log1m(p), log1m_inv_logit(logit_psi));
    }
  }
}
generated quantities {
  real occupied = mean(inv_logit(alpha + beta * cover));
}
