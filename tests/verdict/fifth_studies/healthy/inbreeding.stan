// Genotypes of a microsatellite with six alleles and the coefficient of inbreeding: Ayres and Balding, Heredity 80 (1998); Weir, Genetic Data Analysis II (1996); simulated. Accused: a simplex with elements of a hundredth, a coefficient between bounds.
data {
  int<lower=2> K;
  array[K, K] int<lower=0> genotype;
}
parameters {
  simplex[K] allele;
  real<lower=0, upper=1> inbreeding;
}
model {
  allele ~ dirichlet(rep_vector(1, K));
  inbreeding ~ beta(1, 1);
  for (i in 1:K) {
    target += genotype[i, i] * log(allele[i] * (inbreeding + (1 - inbreeding) * allele[i]));
    for (j in 1:(i - 1)) {
      target += genotype[i, j] * log(2 * (1 - inbreeding) * allele[i] * allele[j]);
    }
  }
}
generated quantities {
  real heterozygosity = (1 - inbreeding) * (1 - dot_self(allele));
  real effective_alleles = 1 / dot_self(allele);
  array[K] int next_alleles = multinomial_rng(allele, 20);
  int common = allele[1] > allele[6];
}
