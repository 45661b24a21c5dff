// A deterministic model and an error on top of it: the temperature of a cup by Newton's law of cooling, a differential equation of
// rate k, and what a thermometer shows.
//   credo sample examples/texts/cooling.stan --data examples/texts/cooling.json
functions {
  vector cooling(real t, vector temperature, real k, real room) {
    return -k * (temperature - room);
  }
}
data {
  int<lower=1> N;
  array[N] real<lower=0> t;
  vector[N] y;
  real start, room;
}
parameters {
  real<lower=0> k;
  real<lower=0> sigma;
}
transformed parameters {
  vector[N] mean_y;
  {
    array[N] vector[1] solved = ode_rk45(cooling, [start]', 0, t, k, room);
    for (n in 1:N) mean_y[n] = solved[n][1];
  }
}
model {
  k ~ exponential(5);
  sigma ~ exponential(1);
  y ~ normal(mean_y, sigma);
}
