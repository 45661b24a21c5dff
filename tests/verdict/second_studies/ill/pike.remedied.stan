// Lengths of young pike (standardised), a mixture of three year classes of equal numbers: Macdonald and Pitcher, Journal of the
// Fisheries Research Board of Canada 36 (1979); simulated. Nothing tells the classes apart but their order, which isn't
// declared. Remedied.
data {
  int<lower=1> N;
  vector[N] size;
}
parameters {
  ordered[3] mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 2);
  sigma ~ normal(0, 0.5);
  for (n in 1:N) {
    target += log_sum_exp([normal_lpdf(size[n] | mu[1], sigma), normal_lpdf(size[n] | mu[2], sigma),
                           normal_lpdf(size[n] | mu[3], sigma)]) - log(3);
  }
}
