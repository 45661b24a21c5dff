// Calls of a bird per minute, in a quiet and an active state that last for some minutes: Zucchini and MacDonald, Hidden Markov
// Models for Time Series (2009), chapter 1; simulated. The states have the same priors. Remedied.
data {
  int<lower=1> T;
  array[T] int<lower=0> calls;
}
parameters {
  positive_ordered[2] rate;
  vector<lower=0, upper=1>[2] stay;
}
model {
  vector[2] forward = rep_vector(-log(2), 2);
  rate ~ gamma(2, 0.4);
  stay ~ beta(8, 2);
  for (t in 1:T) {
    vector[2] before = forward;
    if (t > 1) {
      forward[1] = log_sum_exp(before[1] + log(stay[1]), before[2] + log1m(stay[2]));
      forward[2] = log_sum_exp(before[1] + log1m(stay[1]), before[2] + log(stay[2]));
    }
    forward += [poisson_lpmf(calls[t] | rate[1]), poisson_lpmf(calls[t] | rate[2])]';
  }
  target += log_sum_exp(forward);
}
