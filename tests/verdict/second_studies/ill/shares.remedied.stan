// Shares of candidates as exponentials over their sum, computed without care, for scores in the hundreds: Blanchard, Higham and
// Higham, IMA Journal of Numerical Analysis 41 (2021), on the softmax function; Stan User's Guide, on floating point; made up.
// Remedied.
data {
  vector[3] score;
}
parameters {
  vector[3] theta;
}
model {
  theta ~ normal(score, 3);
}
generated quantities {
  vector[3] share = softmax(theta);
}
