// Counts of mallards on forty squares in three visits, binomial of a Poisson number that is summed out: Royle, Biometrics 60
// (2004); Kery, Royle and Schmid, Ecological Applications 15 (2005); simulated.
data {
  int<lower=1> S;
  int<lower=1> V;
  array[S, V] int<lower=0> count;
  vector[S] forest;
  int<lower=1> most;
}
parameters {
  real alpha;
  real beta;
  real<lower=0, upper=1> p;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 1);
  p ~ beta(2, 2);
  for (s in 1:S) {
    int least = max(count[s]);
    vector[most - least + 1] lp;
    for (n in least:most) {
      lp[n - least + 1] = poisson_log_lpmf(n | alpha + beta * forest[s]) + binomial_lpmf(count[s] | n, p);
    }
    target += log_sum_exp(lp);
  }
}
