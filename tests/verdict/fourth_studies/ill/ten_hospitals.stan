// Meta-analysis of ten trials by their variance between hospitals, not its root: DerSimonian and Laird, Controlled Clinical
// Trials 7 (1986); simulated, with trials that are all alike. The variance is declared as any real number, and a negative one
// that is too large leaves no variance at all.
// expect: missing_constraint between
// may: mu
data {
  int<lower=1> J;
  vector[J] y;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real between;
}
model {
  mu ~ normal(0, 2);
  between ~ normal(0, 0.2);
  y ~ normal(mu, sqrt(square(se) + between));
}
