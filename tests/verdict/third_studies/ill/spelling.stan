// Children spell eight words, a Rasch model: Gelman and Hill, Data Analysis Using Regression (2007), section 14.3, on additive
// aliasing; simulated. The mean ability and the difficulties are both free.
// expect: flat_direction mu/theta b
// may: mu theta b
data {
  int<lower=1> N;
  int<lower=1> P;
  int<lower=1> I;
  array[N] int<lower=1, upper=P> child;
  array[N] int<lower=1, upper=I> word;
  array[N] int<lower=0, upper=1> right;
}
parameters {
  real mu;
  vector[P] theta;
  vector[I] b;
}
model {
  mu ~ normal(0, 100);
  b ~ normal(0, 100);
  theta ~ normal(mu, 1);
  right ~ bernoulli_logit(theta[child] - b[word]);
}
