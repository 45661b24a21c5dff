// Purchases of a durable good by income, as a latent utility with an error of unknown spread: Train, Discrete Choice Methods
// with Simulation (2009), chapter 2.5 (the scale of utility is arbitrary); Albert and Chib (1993); simulated. Remedied.
data {
  int<lower=1> N;
  vector[N] income;
  array[N] int<lower=0, upper=1> bought;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  bought ~ bernoulli(Phi_approx(alpha + beta * income));
}
