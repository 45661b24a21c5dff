// Happiness by age (standardised), a parabola, and the age where it turns, a ratio of coefficients with heavy tails: Blanchflower
// and Oswald, Social Science and Medicine 66 (2008); Lind and Mehlum, Oxford Bulletin of Economics and Statistics 72 (2010);
// simulated.
data {
  int<lower=1> N;
  vector[N] age;
  vector[N] happy;
}
parameters {
  real alpha;
  real beta;
  real gamma;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 2);
  gamma ~ normal(0, 2);
  sigma ~ normal(0, 2);
  happy ~ normal(alpha + beta * age + gamma * square(age), sigma);
}
generated quantities {
  real turn = -beta / (2 * gamma);
}
