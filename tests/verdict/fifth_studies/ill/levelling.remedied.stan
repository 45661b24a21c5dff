// Heights of sixteen benchmarks along a road from differences that were levelled to the millimetre; nothing but a prior ties them
// to the sea: Ghilani, Adjustment Computations (2010), chapter 12 (datum defects); simulated. All heights move together. Remedied:
// the first height and the steps as parameters.
data {
  int<lower=2> N;
  vector[N - 1] difference;
  real<lower=0> error;
}
parameters {
  real first;
  vector<offset=difference, multiplier=error>[N - 1] step;
}
transformed parameters {
  vector[N] height = first + append_row(0, cumulative_sum(step));
}
model {
  height ~ normal(0, 10);
  difference ~ normal(step, error);
}
