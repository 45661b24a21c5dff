// Old Faithful's eruptions, duration and waiting time (standardised), a mixture of two bivariate normal distributions: Azzalini
// and Bowman, Applied Statistics 39 (1990); Bishop, Pattern Recognition and Machine Learning (2006), section 9.1; simulated. The
// components have the same priors.
// expect: label_switching mean_duration/mean_waiting
// may: mean_duration mean_waiting share
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] duration;
  vector[N] waiting;
}
parameters {
  vector[2] mean_duration;
  vector[2] mean_waiting;
  vector<lower=0>[2] sigma;
  real<lower=0, upper=1> share;
}
model {
  mean_duration ~ normal(0, 1.5);
  mean_waiting ~ normal(0, 1.5);
  sigma ~ lognormal(-1, 0.3);
  share ~ beta(3, 3);
  for (n in 1:N) {
    target += log_mix(share,
                      normal_lpdf(duration[n] | mean_duration[1], sigma[1]) + normal_lpdf(waiting[n] | mean_waiting[1], sigma[2]),
                      normal_lpdf(duration[n] | mean_duration[2], sigma[1]) + normal_lpdf(waiting[n] | mean_waiting[2], sigma[2]));
  }
}
