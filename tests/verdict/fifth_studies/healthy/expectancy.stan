// What teachers expect of pupils and the pupils' intelligence, nineteen experiments, effects with offset and multiplier: Raudenbush, Journal of Educational Psychology 76 (1984); Raudenbush and Bryk, Journal of Educational Statistics 10 (1985). Accused: a spread with mass near zero (the multiplier makes the form a non-centred one), shrunken effects, ratio of variances.
data {
  int<lower=1> J;
  vector[J] effect;
  vector<lower=0>[J] error;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector<offset=mu, multiplier=tau>[J] theta;
}
model {
  mu ~ normal(0, 0.5);
  tau ~ normal(0, 0.2);
  theta ~ normal(mu, tau);
  effect ~ normal(theta, error);
}
generated quantities {
  real new_effect = normal_rng(mu, tau);
  real share_of_variance = square(tau) / (square(tau) + mean(square(error)));
  array[J] int greatest;
  for (j in 1:J) {
    greatest[j] = theta[j] == max(theta);
  }
}
