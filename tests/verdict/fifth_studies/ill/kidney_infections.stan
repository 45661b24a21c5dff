// Two times to infection at a catheter of each of twenty-four patients, exponential with a lognormal frailty of the patient:
// McGilchrist and Aisbett, Biometrics 47 (1991); BUGS examples, volume 1; simulated, with patients that are almost alike.
// expect: funnel sd_frailty/frailty
// may: sd_frailty frailty
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> patient;
  vector[N] female;
  vector<lower=0>[N] months;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sd_frailty;
  vector[J] frailty;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  sd_frailty ~ normal(0, 1);
  frailty ~ normal(0, sd_frailty);
  months ~ exponential(exp(alpha + beta * female + frailty[patient]));
}
