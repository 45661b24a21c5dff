// The Nile at Aswan: a level that wanders, and flows about it; years without a measurement.
data {
  int<lower=0> N, N_observed, N_missing;
  vector[N_observed] flow;  // 10^8 m^3 a year
  array[N_observed] int<lower=1, upper=N> flow_observed;
  array[N_missing] int<lower=1, upper=N> flow_missing;
}
transformed data {
  int num_ahead = 10;
}
parameters {
  real<lower=0> sd_flow, sd_level;
  real first;
  vector[N - 1] step;  // of the level, in sd_level
}
transformed parameters {
  vector[N] level = first + cumulative_sum(append_row(0, sd_level * step));
}
model {
  sd_flow ~ normal(0, 200);
  sd_level ~ normal(0, 100);
  first ~ normal(1000, 300);
  step ~ std_normal();
  flow ~ normal(level[flow_observed], sd_flow);
}
generated quantities {
  array[N_missing] real unseen = normal_rng(level[flow_missing], sd_flow);
  array[num_ahead] real ahead;
  {
    real at = level[N];
    for (t in 1:num_ahead) {
      at = normal_rng(at, sd_level);
      ahead[t] = normal_rng(at, sd_flow);
    }
  }
}
