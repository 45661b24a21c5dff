// Lengths of fish of two species that nobody told apart.
// expect: label_switching mu
// may: sigma weight
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  simplex[2] weight;
  vector[2] mu;  // here
  vector<lower=0>[2] sigma;
}
model {
  weight ~ dirichlet([2, 2]');
  mu ~ normal(20, 10);  // here
  sigma ~ normal(0, 3);
  for (i in 1:N)
    target += log_mix(weight[1], normal_lpdf(y[i] | mu[1], sigma[1]), normal_lpdf(y[i] | mu[2], sigma[2]));  // here
}
