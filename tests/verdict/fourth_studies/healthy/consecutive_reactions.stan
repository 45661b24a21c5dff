// Two reactions in a row in a stirred vessel, concentrations of the first and the second substance, by differential equations:
// Bates and Watts, Nonlinear Regression Analysis (1988), chapter 5; simulated.
functions {
  vector reaction(real t, vector c, real k1, real k2) {
    return [-k1 * c[1], k1 * c[1] - k2 * c[2]]';
  }
}
data {
  int<lower=1> N;
  array[N] real t;
  array[N] vector[2] y;
}
parameters {
  real<lower=0> k1;
  real<lower=0> k2;
  real<lower=0> sigma;
}
model {
  array[N] vector[2] c = ode_rk45(reaction, [1, 0]', 0.0, t, k1, k2);
  k1 ~ lognormal(-1, 1);
  k2 ~ lognormal(-2, 1);
  sigma ~ normal(0, 0.2);
  for (n in 1:N) {
    y[n] ~ normal(c[n], sigma);
  }
}
generated quantities {
  real best_hour = log(k1 / k2) / (k1 - k2);
}
