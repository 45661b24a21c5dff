// Concentration of a drug after an injection, a sum of two exponentials: Gabrielsson and Weiner, Pharmacokinetic and
// Pharmacodynamic Data Analysis (2006); Stan User's Guide, exchangeable components; simulated. Nothing says which phase is the
// first. Remedied.
// sample: --chains 8
data {
  int<lower=1> N;
  vector<lower=0>[N] hour;
  vector[N] concentration;
}
parameters {
  vector<lower=0>[2] A;
  positive_ordered[2] k;
  real<lower=0> sigma;
}
model {
  A ~ normal(0, 10);
  k ~ lognormal(-1, 1.5);
  sigma ~ normal(0, 1);
  concentration ~ normal(A[1] * exp(-k[1] * hour) + A[2] * exp(-k[2] * hour), sigma);
}
