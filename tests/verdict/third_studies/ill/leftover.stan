// Growth of trees by rainfall, with a parameter for temperature that was declared and then left out of the model: a trouble that
// the Stan forum sees often; simulated.
// expect: improper temperature
data {
  int<lower=1> N;
  vector[N] rain;
  vector[N] growth;
}
parameters {
  real alpha;
  real rainfall;
  real temperature;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  rainfall ~ normal(0, 2);
  sigma ~ normal(0, 2);
  growth ~ normal(alpha + rainfall * rain, sigma);
}
