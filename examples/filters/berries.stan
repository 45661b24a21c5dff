// Somebody eats berries of which nobody knows whether they are poisonous, and takes the temperature each day: the state is estimated
// from actions and outcomes. z is 1: good berries and well, 2: good and ill, 3: poisonous and well, 4: poisonous and ill.
//   p(z_t | y_1..t, a_2..t) ∝ p(y_t | z_t) sum over z_{t-1} of p(z_t | a_t, z_{t-1}) p(z_{t-1} | y_1..t-1, a_2..t-1)
// The same text is filtered by particles and summed over exactly:
//   credo filter examples/filters/berries.stan --data examples/filters/berries.json --particles 10000
//   credo exact examples/filters/berries.stan --data examples/filters/berries.json
functions {
  int initial_rng(vector first) {
    return categorical_rng(first);
  }
  int transition_rng(int before, int action, array[] matrix next) {
    return categorical_rng(next[action, before]');
  }
  real observation_lpmf(int fever, int z, vector fever_of) {
    return bernoulli_lpmf(fever | fever_of[z]);
  }
}
data {
  int<lower=1> T;
  int<lower=0, upper=T> seen;  // outcomes that credo exact knows: of z[seen] it tells what a filter does
  array[T] int<lower=0, upper=1> fever;
  array[T] int<lower=1, upper=2> action;  // that led to this day, 1: none, 2: eat; the first one doesn't count
  vector[4] first;
  array[2] matrix[4, 4] next;  // of each action: rows are laws of the state, given the state before
  vector[4] fever_of;
}
parameters {
  array[T] int<lower=1, upper=4> z;
}
model {
  z[1] ~ categorical(first);
  for (t in 2:T) z[t] ~ categorical(next[action[t], z[t - 1]]');
  for (t in 1:seen) fever[t] ~ bernoulli(fever_of[z[t]]);
}
