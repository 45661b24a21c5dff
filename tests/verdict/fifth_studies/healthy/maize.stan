// Darwin's fifteen pairs of crossed and self-fertilised maize, differences of height with Student's errors: Fisher, The Design of Experiments (1935); Box and Tiao, Bayesian Inference in Statistical Analysis (1973), chapter 3. Accused: degrees of freedom with a long tail, predictions with heavy ones, a ratio of mean and spread.
data {
  int<lower=1> N;
  vector[N] difference;
}
parameters {
  real<multiplier=10> mu;
  real<lower=0> sigma;
  real<lower=1> nu;
}
model {
  mu ~ normal(0, 50);
  sigma ~ normal(0, 50);
  nu ~ gamma(2, 0.1);
  difference ~ student_t(nu, mu, sigma);
}
generated quantities {
  real next_pair = student_t_rng(nu, mu, sigma);
  real worst_of_fifteen = min(student_t_rng(nu, rep_vector(mu, N), sigma));
  real effect_size = mu / sigma;
  int crossed_is_higher = next_pair > 0;
}
