// Growth of Paramecium caudatum in a glass, the logistic differential equation with proportional errors: Gause, The Struggle
// for Existence (1934); Bolker, Ecological Models and Data in R (2008), chapter 11; simulated.
functions {
  vector growth(real t, vector y, real rate, real capacity) {
    return rate * y * (1 - y[1] / capacity);
  }
}
data {
  int<lower=1> N;
  array[N] real<lower=0> day;
  vector<lower=0>[N] counted;
}
parameters {
  real<lower=0> start;
  real<lower=0> rate;
  real<lower=0> capacity;
  real<lower=0> sigma;
}
transformed parameters {
  vector[N] size;
  {
    array[N] vector[1] y = ode_rk45(growth, [start]', 0, day, rate, capacity);
    for (n in 1:N) {
      size[n] = y[n, 1];
    }
  }
}
model {
  start ~ lognormal(log(2), 0.5);
  rate ~ lognormal(log(0.8), 0.5);
  capacity ~ lognormal(log(60), 0.5);
  sigma ~ normal(0, 0.3);
  counted ~ lognormal(log(size), sigma);
}
generated quantities {
  real doubling_days = log2() / rate;
}
