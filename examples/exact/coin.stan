// Bias of a coin, with a beta prior [gelman2013, ch. 2].
data {
  int<lower=0> tosses;
  int<lower=0, upper=tosses> heads;
}
parameters {
  real<lower=0, upper=1> bias;
}
model {
  bias ~ beta(2, 3);
  heads ~ binomial(tosses, bias);
}
