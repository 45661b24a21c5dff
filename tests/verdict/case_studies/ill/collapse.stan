// A mixture of two normals with a standard deviation each and no prior for them: Kiefer and Wolfowitz (1956); Marin and Robert,
// Bayesian Core, chapter 6; McLachlan and Peel, Finite Mixture Models. An empty component's
// standard deviation may be anything, and on a single point a component's density has no bound.
// expect: improper sigma
// may: mu share
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  ordered[2] mu;
  vector<lower=0>[2] sigma;
  real<lower=0, upper=1> share;
}
model {
  mu ~ normal(0, 5);
  for (n in 1:N) {
    target += log_mix(share, normal_lpdf(y[n] | mu[1], sigma[1]), normal_lpdf(y[n] | mu[2], sigma[2]));
  }
}
