// A disease that one in a hundred has, and tests that find it in 9 of 10 and are wrong in 1 of 20 healthy ones. Several tests
// are independent given the disease: what is known after the first is the prior of the second.
data {
  int<lower=0> N;
  array[N] int<lower=0, upper=1> positive;
  real<lower=0, upper=1> prevalence;
}
parameters {
  int<lower=0, upper=1> ill;
}
model {
  ill ~ bernoulli(prevalence);
  for (n in 1 : N) {
    positive[n] ~ bernoulli(ill == 1 ? 0.9 : 0.05);
  }
}
