// Marks by attendance of pupils (both standardised), some of which wasn't noted; what is missing is a parameter each: Little and
// Rubin, Statistical Analysis with Missing Data (2019); simulated.
data {
  int<lower=1> N;
  int<lower=0> M;
  array[N - M] int<lower=1, upper=N> seen;
  array[M] int<lower=1, upper=N> unseen;
  vector[N - M] attendance;
  vector[N] marks;
}
parameters {
  real nu;
  real<lower=0> tau;
  vector[M] imputed;
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  vector[N] x;
  x[seen] = attendance;
  x[unseen] = imputed;
  nu ~ normal(0, 1);
  tau ~ normal(0, 2);
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  sigma ~ normal(0, 2);
  x ~ normal(nu, tau);
  marks ~ normal(alpha + beta * x, sigma);
}
