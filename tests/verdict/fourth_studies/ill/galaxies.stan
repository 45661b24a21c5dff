// Velocities of 82 galaxies in the Corona Borealis region, thousands of km/s, a mixture of three normal distributions of one
// spread: Roeder, Journal of the American Statistical Association 85 (1990); Richardson and Green, Journal of the Royal
// Statistical Society B 59 (1997). Nothing orders the components.
// expect: label_switching mu
// may: mu sigma share
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] velocity;
}
parameters {
  vector[3] mu;
  real<lower=0> sigma;
  simplex[3] share;
}
model {
  mu ~ normal(20, 8);
  sigma ~ lognormal(0.5, 0.5);
  share ~ dirichlet(rep_vector(3, 3));
  for (n in 1:N) {
    vector[3] lp = log(share);
    for (k in 1:3) {
      lp[k] += normal_lpdf(velocity[n] | mu[k], sigma);
    }
    target += log_sum_exp(lp);
  }
}
