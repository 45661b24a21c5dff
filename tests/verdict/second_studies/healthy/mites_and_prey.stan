// Predatory mites and their prey, the equations of Lotka and Volterra with proportional errors: Huffaker, Hilgardia 27 (1958);
// Carpenter, "Predator-Prey Population Dynamics" (Stan case study, 2018); simulated.
functions {
  vector change(real t, vector z, real alpha, real beta, real gamma, real delta) {
    return [(alpha - beta * z[2]) * z[1], (-gamma + delta * z[1]) * z[2]]';
  }
}
data {
  int<lower=1> N;
  array[N] real week;
  array[N] vector<lower=0>[2] counted;
}
parameters {
  real<lower=0> alpha;
  real<lower=0> beta;
  real<lower=0> gamma;
  real<lower=0> delta;
  vector<lower=0>[2] start;
  real<lower=0> sigma;
}
model {
  array[N] vector[2] z = ode_rk45_tol(change, start, 0, week, 1e-6, 1e-5, 10000, alpha, beta, gamma, delta);
  alpha ~ lognormal(log(0.5), 0.2);
  beta ~ lognormal(log(0.025), 0.2);
  gamma ~ lognormal(log(0.9), 0.2);
  delta ~ lognormal(log(0.025), 0.2);
  start[1] ~ lognormal(log(34), 0.2);
  start[2] ~ lognormal(log(6), 0.2);
  sigma ~ lognormal(-1, 0.5);
  for (n in 1:N) {
    counted[n] ~ lognormal(log(z[n]), sigma);
  }
}
generated quantities {
  vector[2] equilibrium = [gamma / delta, alpha / beta]';
}
