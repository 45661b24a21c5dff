// Survival and recapture of flycatchers, ringed over six years: Cormack-Jolly-Seber by the numbers first recaptured in each year:
// Kery and Schaub, Bayesian Population Analysis (2012), chapter 7; simulated.
data {
  int<lower=2> K;
  array[K - 1, K] int<lower=0> recaptured;
}
parameters {
  real<lower=0, upper=1> phi;
  real<lower=0, upper=1> p;
}
transformed parameters {
  array[K - 1] vector[K] cell;
  for (i in 1:K - 1) {
    cell[i] = rep_vector(0, K);
    for (j in i:K - 1) {
      cell[i][j] = pow(phi, j - i + 1) * pow(1 - p, j - i) * p;
    }
    cell[i][K] = 1 - sum(cell[i][1:K - 1]);
  }
}
model {
  for (i in 1:K - 1) {
    for (j in i:K) {
      target += recaptured[i, j] * log(cell[i][j]);
    }
  }
}
generated quantities {
  real life_left = -1 / log(phi);
}
