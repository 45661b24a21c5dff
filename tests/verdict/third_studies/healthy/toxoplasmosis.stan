// Toxoplasmosis in thirty cities of El Salvador by rainfall, with effects of the cities, not centred: Efron, Journal of the
// American Statistical Association 73 (1978); simulated.
data {
  int<lower=1> J;
  vector[J] rain;
  array[J] int<lower=0> tested;
  array[J] int<lower=0> positive;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
  vector[J] z;
}
transformed parameters {
  vector[J] eta = alpha + beta * rain + sigma * z;
}
model {
  alpha ~ normal(0, 1.5);
  beta ~ normal(0, 1);
  sigma ~ normal(0, 1);
  z ~ std_normal();
  positive ~ binomial_logit(tested, eta);
}
generated quantities {
  vector[J] rate = inv_logit(eta);
  int worst = sort_indices_desc(eta)[1];
}
