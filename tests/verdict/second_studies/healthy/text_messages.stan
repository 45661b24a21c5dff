// Messages per day that change their rate on an unknown day, which is summed out: Davidson-Pilon, Bayesian Methods for Hackers
// (2015), chapter 1; Carlin, Gelfand and Smith, Applied Statistics 41 (1992); simulated. The day is an integer output.
data {
  int<lower=2> T;
  array[T] int<lower=0> messages;
}
parameters {
  vector<lower=0>[2] rate;
}
transformed parameters {
  vector[T - 1] lp;
  {
    vector[T] early;
    vector[T] late;
    for (t in 1:T) {
      early[t] = poisson_lpmf(messages[t] | rate[1]);
      late[t] = poisson_lpmf(messages[t] | rate[2]);
    }
    lp = cumulative_sum(early - late)[1:T - 1] + sum(late) - log(T - 1);
  }
}
model {
  rate ~ gamma(2, 0.1);
  target += log_sum_exp(lp);
}
generated quantities {
  int day = categorical_logit_rng(lp);
}
