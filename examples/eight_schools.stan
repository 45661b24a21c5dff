// Effects of coaching in eight schools, partially pooled (Rubin 1981; Gelman et al., Bayesian Data Analysis, 5.5).
// Non-centred: the school effects are mu + tau * z with standard normal z, which keeps the posterior easy to explore
// when tau is small.
data {
  int<lower=0> J;               // schools
  array[J] real y;              // estimated effect of coaching
  array[J] real<lower=0> sigma; // its standard error
}
parameters {
  real mu;                      // mean effect
  real<lower=0> tau;            // standard deviation between schools
  vector[J] z;
}
transformed parameters {
  vector[J] theta = mu + tau * z;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  z ~ std_normal();
  y ~ normal(theta, sigma);
}
