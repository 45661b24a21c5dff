// Support of a party by week from polls of four institutes that lean one way or another, a walk of innovations: Jackman, Australian Journal of Political Science 40 (2005); Linzer, JASA 108 (2013); simulated. Accused: a walk's standard deviation with mass at zero, many strongly correlated levels, a forecast that fans out.
data {
  int<lower=1> N;
  int<lower=2> W;
  array[N] int<lower=1, upper=W> week;
  array[N] int<lower=1, upper=4> institute;
  vector<lower=0>[N] error;
  vector[N] share;
}
parameters {
  real<offset=48, multiplier=2> start;
  real<lower=0> step;
  vector[W - 1] z;
  vector[3] free_lean;
}
transformed parameters {
  vector[W] level = start + append_row(0, step * cumulative_sum(z));
  vector[4] lean = append_row(free_lean, -sum(free_lean));
}
model {
  start ~ normal(48, 5);
  step ~ normal(0, 0.3);
  z ~ std_normal();
  lean ~ normal(0, 1);
  share ~ normal(level[week] + lean[institute], error);
}
generated quantities {
  vector[26] forecast;
  {
    real last = level[W];
    for (h in 1:26) {
      last += normal_rng(0, step);
      forecast[h] = last;
    }
  }
  int wins = forecast[26] > 50;
  vector[N] log_lik;
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(share[n] | level[week[n]] + lean[institute[n]], error[n]);
  }
}
