// Directions of magnetisation of rocks, von Mises and Fisher's distribution on the sphere with known concentration: Fisher
// (1953); Mardia and Jupp, Directional Statistics, chapter 9; simulated. The declination is close to pi: it has two heaps.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  array[N] vector[3] direction;
  real<lower=0> concentration;
}
transformed data {
  vector[3] resultant = rep_vector(0, 3);
  for (n in 1:N) {
    resultant += direction[n];
  }
}
parameters {
  unit_vector[3] pole;
}
model {
  target += concentration * dot_product(pole, resultant);
}
generated quantities {
  real<lower=-pi(), upper=pi()> declination = atan2(pole[2], pole[1]);
  real inclination = asin(pole[3]);
}
