// Eighty pupils answer eight questions, item response with positive discriminations: Fox, Bayesian Item Response Modeling (2010);
// simulated.
data {
  int<lower=1> P;
  int<lower=1> I;
  array[P, I] int<lower=0, upper=1> right;
}
parameters {
  vector[P] theta;
  vector<lower=0>[I] a;
  vector[I] b;
}
model {
  theta ~ std_normal();
  a ~ lognormal(0, 0.4);
  b ~ normal(0, 1.5);
  for (i in 1:I) {
    right[, i] ~ bernoulli_logit(a[i] * (theta - b[i]));
  }
}
generated quantities {
  int best = sort_indices_desc(theta)[1];
}
