// Heights of sixteen benchmarks along a road from differences that were levelled to the millimetre; nothing but a prior ties them
// to the sea: Ghilani, Adjustment Computations (2010), chapter 12 (datum defects); simulated. All heights move together.
// expect: tree_depth height
// expect: flat_direction height
data {
  int<lower=2> N;
  vector[N - 1] difference;
  real<lower=0> error;
}
parameters {
  vector[N] height;
}
model {
  height ~ normal(0, 10);
  difference ~ normal(height[2:N] - height[1:N - 1], error);
}
