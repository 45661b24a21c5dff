// Children spell eight words, a Rasch model: Gelman and Hill, Data Analysis Using Regression (2007), section 14.3, on additive
// aliasing; simulated. The mean ability and the difficulties are both free. Remedied.
data {
  int<lower=1> N;
  int<lower=1> P;
  int<lower=1> I;
  array[N] int<lower=1, upper=P> child;
  array[N] int<lower=1, upper=I> word;
  array[N] int<lower=0, upper=1> right;
}
parameters {
  vector[P] theta;
  vector[I] b;
}
model {
  b ~ normal(0, 3);
  theta ~ normal(0, 1);
  right ~ bernoulli_logit(theta[child] - b[word]);
}
