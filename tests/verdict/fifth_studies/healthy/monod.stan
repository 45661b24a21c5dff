// Growth of bacteria on sugar in a flask, Monod's differential equations: Monod, Annual Review of Microbiology 3 (1949); Bastin and Dochain, On-line Estimation and Adaptive Control of Bioreactors (1990); simulated. Accused: growth rate and half-saturation that are strongly correlated, a substrate that ends at zero.
functions {
  vector growth(real t, vector y, real fastest, real half, real yield) {
    real rate = fastest * y[2] / (half + y[2]) * y[1];
    return [rate, -rate / yield]';
  }
}
data {
  int<lower=1> T;
  array[T] real<lower=0> time;
  real<lower=0> sugar_at_start;
  vector<lower=0>[T] bacteria;
  vector[T] sugar;
}
parameters {
  real<offset=-0.7, multiplier=0.2> log_fastest;
  real<offset=1.4, multiplier=0.2> log_half;
  real<lower=0, upper=1> yield;
  real<offset=-0.7, multiplier=0.2> log_at_start;
  real<lower=0> sigma_bacteria;
  real<lower=0> sigma_sugar;
}
transformed parameters {
  real fastest = exp(log_fastest);
  real half = exp(log_half);
  real at_start = exp(log_at_start);
  array[T] vector[2] y = ode_rk45(growth, [at_start, sugar_at_start]', 0, time, fastest, half, yield);
}
model {
  log_fastest ~ normal(-0.7, 0.4);
  log_half ~ normal(1.4, 0.4);
  yield ~ beta(4, 4);
  log_at_start ~ normal(-0.7, 0.3);
  sigma_bacteria ~ lognormal(-2.5, 0.7);
  sigma_sugar ~ lognormal(-1.5, 0.7);
  for (t in 1:T) {
    bacteria[t] ~ lognormal(log(y[t, 1]), sigma_bacteria);
    sugar[t] ~ normal(y[t, 2], sigma_sugar);
  }
}
generated quantities {
  real doubling = log2() / fastest;
  vector[T] sugar_rep;
  for (t in 1:T) {
    sugar_rep[t] = normal_rng(y[t, 2], sigma_sugar);
  }
}
