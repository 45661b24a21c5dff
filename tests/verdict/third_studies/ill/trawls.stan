// Fish in ninety hauls, Poisson of three kinds of ground that weren't noted: Karlis and Xekalaki, Biometrical Journal 43 (2001);
// simulated.
// expect: label_switching rate
// may: share
data {
  int<lower=1> N;
  array[N] int<lower=0> fish;
}
parameters {
  simplex[3] share;
  vector<lower=0>[3] rate;
}
model {
  share ~ dirichlet([4, 4, 4]');
  rate ~ gamma(1.5, 0.1);
  for (n in 1:N) {
    vector[3] lp = log(share);
    for (k in 1:3) {
      lp[k] += poisson_lpmf(fish[n] | rate[k]);
    }
    target += log_sum_exp(lp);
  }
}
