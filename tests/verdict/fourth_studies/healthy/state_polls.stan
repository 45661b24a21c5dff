// Opinion of six hundred persons by state, age and sex, multilevel regression, and its mean over the states' people: Gelman and
// Little, Survey Methodology 23 (1997); Lax and Phillips, American Journal of Political Science 53 (2009); simulated.
// sample: --adapt-delta 0.99
data {
  int<lower=1> N;
  int<lower=1> S;
  array[N] int<lower=1, upper=S> state;
  array[N] int<lower=1, upper=4> age;
  vector[N] female;
  array[N] int<lower=0, upper=1> yes;
  vector[4] of_age;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sd_state;
  real<lower=0> sd_age;
  vector[S] z_state;
  vector[4] z_age;
}
model {
  alpha ~ normal(0, 1.5);
  beta ~ normal(0, 1);
  sd_state ~ normal(0, 1);
  sd_age ~ lognormal(-1, 0.5);
  z_state ~ std_normal();
  z_age ~ std_normal();
  yes ~ bernoulli_logit(alpha + beta * female + sd_state * z_state[state] + sd_age * z_age[age]);
}
generated quantities {
  vector[S] support;
  for (s in 1:S) {
    support[s] = dot_product(of_age, inv_logit(alpha + 0.5 * beta + sd_state * z_state[s] + sd_age * z_age));
  }
}
