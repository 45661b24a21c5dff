// One factor behind four tests, scores and loadings of either sign: Lee, Structural Equation Modeling: A Bayesian Approach;
// Ghosh and Dunson (2009); simulated. All signs can be turned at once.
// sample: --chains 8
// expect: multimodal loading/score
// expect: label_switching loading/score
// may: score loading
data {
  int<lower=1> N;
  int<lower=1> D;
  matrix[N, D] test;
}
parameters {
  vector[D] loading;
  vector[N] score;
  vector<lower=0>[D] sigma;
}
model {
  loading ~ normal(0, 1);
  score ~ std_normal();
  sigma ~ lognormal(-0.4, 0.3);
  for (d in 1:D) {
    test[ : , d] ~ normal(loading[d] * score, sigma[d]);
  }
}
