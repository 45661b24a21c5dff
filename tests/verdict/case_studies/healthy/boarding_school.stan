// Influenza at a boarding school, susceptible-infected-recovered: Grinsztajn, Semenova, Margossian and Riou (2021).
functions {
  vector flow(real t, vector y, real contacts, real recovery, real population) {
    real infections = contacts * y[1] * y[2] / population;
    return [-infections, infections - recovery * y[2], recovery * y[2]]';
  }
}
data {
  int<lower=1> T;
  array[T] int<lower=0> in_bed;
  real<lower=0> population;
}
transformed data {
  array[T] real day = linspaced_array(T, 1, T);
}
parameters {
  real<offset=0.5, multiplier=0.3> log_contacts;
  real<offset=-0.7, multiplier=0.3> log_recovery;
  real<lower=0> inverse_phi;
}
transformed parameters {
  real contacts = exp(log_contacts);
  real recovery = exp(log_recovery);
  array[T] vector[3] y = ode_rk45(flow, [population - 1, 1, 0]', 0, day, contacts, recovery, population);
  vector<lower=0>[T] infected = to_vector(y[ : , 2]) + 1e-6;
}
model {
  log_contacts ~ normal(0.5, 0.3);
  log_recovery ~ normal(-0.7, 0.3);
  inverse_phi ~ exponential(5);
  in_bed ~ neg_binomial_2(infected, inv(inverse_phi));
}
generated quantities {
  real reproduction_number = contacts / recovery;
  real days_ill = inv(recovery);
  array[T] int<lower=0> predicted = neg_binomial_2_rng(infected, inv(inverse_phi));
}
