// Lengths at which particles decayed, seen between a and b only, and the length lambda of their decay; its prior is uniform
// on the same range (Gull's problem) [mackay2003, ch. 3]:
//   credo evidence examples/texts/decay.stan --data examples/texts/decay.json
data {
  int<lower=0> N;
  real<lower=0> a;
  real<lower=a> b;
  vector<lower=a, upper=b>[N] x;
}
parameters {
  real<lower=a, upper=b> lambda;
}
model {
  lambda ~ uniform(a, b);
  for (n in 1:N) x[n] ~ exponential(1 / lambda) T[a, b];
}
