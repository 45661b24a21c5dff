// A trend against dates counted from the year 0.
// expect: tree_depth
// expect: flat_direction alpha beta
// may: alpha beta
// sample: --warmup 500 --draws 300
data {
  int<lower=1> N;
  vector[N] year;
  vector[N] temperature;
}
parameters {
  real alpha;  // here
  real beta;  // here
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 2);
  temperature ~ normal(alpha + beta * year, sigma);  // here
}
