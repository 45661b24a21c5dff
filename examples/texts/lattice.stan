// Mean field for an Ising lattice with noisy pixels [murphy2023, 10.2.2]: each label has a factor of its own, and neighbours take turns.
//   credo approximate examples/texts/lattice.stan --data examples/texts/lattice.json --method cavi
//   credo approximate examples/texts/lattice.stan --data examples/texts/lattice.json --method cavi --order all
data {
  int<lower=1> R, C;
  real coupling;
  real<lower=0> noise;
  matrix[R, C] y;
}
parameters {
  array[R, C] int<lower=0, upper=1> z;
}
model {
  for (i in 1:R)
    for (j in 1:C) {
      if (i < R) target += coupling * (2 * z[i, j] - 1) * (2 * z[i + 1, j] - 1);
      if (j < C) target += coupling * (2 * z[i, j] - 1) * (2 * z[i, j + 1] - 1);
      y[i, j] ~ normal(2 * z[i, j] - 1, noise);
    }
}
