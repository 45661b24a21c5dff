// Rise of loaves by the temperature of the oven in degrees, not centred, and trajectories of four steps at most: Box, Hunter and
// Hunter, Statistics for Experimenters (2005), chapter 12; simulated.
// expect: tree_depth
// may: alpha beta sigma
// level: note
// sample: --max-depth 2
// remedy: --max-depth 10
data {
  int<lower=1> N;
  vector[N] heat;
  vector[N] rise;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 500);
  beta ~ normal(0, 10);
  sigma ~ normal(0, 2);
  rise ~ normal(alpha + beta * heat, sigma);
}
