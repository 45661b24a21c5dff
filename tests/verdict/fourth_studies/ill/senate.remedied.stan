// Votes of twenty-four senators on thirty bills by their positions from left to right: Clinton, Jackman and Rivers, American
// Political Science Review 98 (2004); simulated. Nothing says which side is the left. Remedied.
// sample: --chains 8
data {
  int<lower=1> J;
  int<lower=1> K;
  array[K, J] int<lower=0, upper=1> yea;
}
parameters {
  vector<upper=0>[J %/% 2] left;
  vector<lower=0>[J - J %/% 2] right;
  vector[K] discrimination;
  vector[K] alpha;
}
transformed parameters {
  vector[J] ideal = append_row(left, right);
}
model {
  ideal ~ std_normal();
  discrimination ~ normal(0, 2);
  alpha ~ normal(0, 2);
  for (k in 1:K) {
    yea[k] ~ bernoulli_logit(discrimination[k] * ideal - alpha[k]);
  }
}
