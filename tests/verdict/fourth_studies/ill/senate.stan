// Votes of twenty-four senators on thirty bills by their positions from left to right: Clinton, Jackman and Rivers, American
// Political Science Review 98 (2004); simulated. Nothing says which side is the left.
// expect: multimodal ideal/discrimination
// expect: label_switching ideal/discrimination
// may: ideal discrimination
// sample: --chains 8
data {
  int<lower=1> J;
  int<lower=1> K;
  array[K, J] int<lower=0, upper=1> yea;
}
parameters {
  vector[J] ideal;
  vector[K] discrimination;
  vector[K] alpha;
}
model {
  ideal ~ std_normal();
  discrimination ~ normal(0, 2);
  alpha ~ normal(0, 2);
  for (k in 1:K) {
    yea[k] ~ bernoulli_logit(discrimination[k] * ideal - alpha[k]);
  }
}
