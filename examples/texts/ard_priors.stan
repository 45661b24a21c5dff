// A prior precision for each coefficient with its own gamma prior: coordinate ascent has a normal distribution of the coefficients and
// gamma distributions of the precisions.
//   credo approximate examples/texts/ard_priors.stan --data examples/texts/ard.json --method cavi
data {
  int<lower=1> N, D;
  matrix[N, D] X;
  vector[N] y;
}
parameters {
  vector[D] w;
  vector<lower=0>[D] alpha;
  real<lower=0> beta;
}
model {
  alpha ~ gamma(0.01, 0.01);
  beta ~ gamma(0.01, 0.01);
  w ~ normal(0, inv_sqrt(alpha));
  y ~ normal(X * w, inv_sqrt(beta));
}
