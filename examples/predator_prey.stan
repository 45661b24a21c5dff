// Two populations that are counted each year; the right-hand side is that of Lotka and Volterra.
functions {
  vector growth(real t, vector z, real birth, real predation, real death, real conversion) {
    return [(birth - predation * z[2]) * z[1], (conversion * z[1] - death) * z[2]]';
  }
}
data {
  int<lower=1> years;
  array[years] real<lower=0> time;
  array[years] vector<lower=0>[2] counted;
}
parameters {
  real<lower=0> birth;
  real<lower=0> predation;
  real<lower=0> death;
  real<lower=0> conversion;
  vector<lower=0>[2] start;
  vector<lower=0>[2] error;
}
transformed parameters {
  array[years] vector[2] z =
      ode_rk45_tol(growth, start, 0, time, 1e-6, 1e-6, 1000, birth, predation, death, conversion);
}
model {
  birth ~ normal(1, 0.5);
  death ~ normal(1, 0.5);
  predation ~ normal(0.05, 0.05);
  conversion ~ normal(0.05, 0.05);
  start ~ lognormal(log(20), 1);
  error ~ lognormal(-1, 1);
  for (k in 1:years) counted[k] ~ lognormal(log(z[k]), error);
}
