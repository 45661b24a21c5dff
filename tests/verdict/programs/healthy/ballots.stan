// Shares of five lists; nobody in the sample chose the last.
data {
  int<lower=2> K;
  array[K] int<lower=0> votes;
}
parameters {
  simplex[K] share;
}
model {
  share ~ dirichlet(rep_vector(1, K));
  target += sum(to_vector(votes) .* log(share));
}
generated quantities {
  int leader = share[1] > share[2];
}
