// Chimpanzees pull a lever, in blocks: actors and blocks have effects: McElreath, Statistical Rethinking, second edition (2020),
// section 13.4; simulated. The blocks have no effects to speak of.
// expect: funnel sigma_block
// may: g
data {
  int<lower=1> N;
  int<lower=1> A;
  int<lower=1> B;
  array[N] int<lower=1, upper=A> actor;
  array[N] int<lower=1, upper=B> block;
  vector[N] prosocial;
  array[N] int<lower=0, upper=1> pulled_left;
}
parameters {
  real a_bar;
  vector[A] z;
  vector[B] g;
  real b;
  real<lower=0> sigma_actor;
  real<lower=0> sigma_block;
}
model {
  vector[A] a = a_bar + sigma_actor * z;
  a_bar ~ normal(0, 1.5);
  b ~ normal(0, 0.5);
  sigma_actor ~ exponential(1);
  sigma_block ~ exponential(1);
  z ~ std_normal();
  g ~ normal(0, sigma_block);
  pulled_left ~ bernoulli_logit(a[actor] + g[block] + b * prosocial);
}
