// Length of sea cows by age, a curve with an asymptote: Ratkowsky (1983); BUGS examples, volume 2, "Dugongs".
data {
  int<lower=1> N;
  vector<lower=0>[N] age;
  vector<lower=0>[N] length;
}
parameters {
  real<lower=0> full;
  real<lower=0> lacking;
  real<lower=0, upper=1> lag;
  real<lower=0> sigma;
}
model {
  full ~ normal(3, 1);
  lacking ~ normal(1, 1);
  lag ~ uniform(0, 1);
  sigma ~ student_t(3, 0, 0.5);
  length ~ normal(full - lacking * pow(lag, age), sigma);
}
generated quantities {
  real logit_lag = logit(lag);
  real age_at_nine_tenths = log(0.1 * full / lacking) / log(lag);
}
