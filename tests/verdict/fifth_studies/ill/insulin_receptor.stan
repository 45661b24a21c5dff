// Share of receptors with bound insulin by its concentration, Hill's equation with an exponent that was declared as at least one:
// De Meyts, Roth, Neville, Gavin and Lesniak, Biochemical and Biophysical Research Communications 55 (1973), on negative
// cooperativity; simulated with 0.6.
// expect: at_bound hill
// may: half sigma
data {
  int<lower=1> N;
  vector<lower=0>[N] ligand;
  vector[N] bound;
}
parameters {
  real<lower=0> half;
  real<lower=1> hill;
  real<lower=0> sigma;
}
model {
  half ~ lognormal(0, 1);
  hill ~ lognormal(0, 0.5);
  sigma ~ normal(0, 0.2);
  bound ~ normal(inv_logit(hill * (log(ligand) - log(half))), sigma);
}
