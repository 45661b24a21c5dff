// Games of six masters of chess, won, drawn or lost, strengths that sum to zero: Davidson, JASA 65 (1970); Glickman, Journal of the Royal Statistical Society C 48 (1999); simulated. Accused: strengths that are tied by a sum, a rest of rounding as their total, results and titles as whole numbers.
data {
  int<lower=1> N;
  int<lower=2> K;
  array[N] int<lower=1, upper=K> white;
  array[N] int<lower=1, upper=K> black;
  array[N] int<lower=1, upper=3> result;
}
parameters {
  vector[K - 1] free;
  real first_move;
  real draws;
}
transformed parameters {
  vector[K] strength = append_row(free, -sum(free));
}
model {
  strength ~ normal(0, 1);
  first_move ~ normal(0, 0.5);
  draws ~ normal(0, 1);
  for (n in 1:N) {
    real mine = strength[white[n]] + first_move;
    real other = strength[black[n]];
    result[n] ~ categorical_logit([mine, draws + 0.5 * (mine + other), other]');
  }
}
generated quantities {
  real total = sum(strength);
  array[K] int place;
  for (k in 1:K) {
    place[k] = 1 + rank(-strength, k);
  }
  int next_result = categorical_logit_rng([strength[1] + first_move,
                                           draws + 0.5 * (strength[1] + first_move + strength[2]), strength[2]]');
}
