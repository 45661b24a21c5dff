// Two factors behind six scales of a questionnaire, all loadings free: Bartholomew, Knott and Moustaki, Latent Variable Models
// and Factor Analysis (2011), chapter 3; simulated. Turning loadings and scores about the origin, or reflecting them, changes
// nothing.
// expect: flat_direction loading/score
// expect: multimodal loading/score
// expect: label_switching loading/score
// may: loading score
// sample: --chains 8
data {
  int<lower=1> J;
  int<lower=1> P;
  matrix[J, P] y;
}
parameters {
  matrix[P, 2] loading;
  matrix[J, 2] score;
  vector<lower=0>[P] sigma;
}
model {
  to_vector(loading) ~ normal(0, 1);
  to_vector(score) ~ std_normal();
  sigma ~ normal(0, 1);
  for (p in 1:P) {
    y[, p] ~ normal(score * loading[p]', sigma[p]);
  }
}
