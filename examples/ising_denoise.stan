// A black and white picture behind noise of unknown size: an Ising field with a known coupling
// holds neighbouring pixels together. Pixels interact in a grid, too widely to be summed out:
// they are drawn from their full conditionals, the noise by a sampler of continuous parameters.
data {
  int<lower=1> R;  // rows
  int<lower=1> C;  // columns
  matrix[R, C] y;  // the picture, -1 or +1, and noise
  real<lower=0> J;  // coupling
}
parameters {
  array[R, C] int<lower=0, upper=1> z;  // 1: +1, 0: -1
  real<lower=0> sigma;
}
transformed parameters {
  matrix[R, C] s;
  for (i in 1 : R) {
    for (j in 1 : C) {
      s[i, j] = 2 * z[i, j] - 1;
    }
  }
}
model {
  sigma ~ normal(0, 2);
  target += J * sum(s[2 : R, ] .* s[1 : R - 1, ]);
  target += J * sum(s[, 2 : C] .* s[, 1 : C - 1]);
  for (i in 1 : R) {
    y[i] ~ normal(s[i], sigma);
  }
}
generated quantities {
  real white = mean(s);  // -1: all black, 1: all white
}
