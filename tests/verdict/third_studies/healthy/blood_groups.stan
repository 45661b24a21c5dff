// Frequencies of the genes A, B and O by numbers of the four blood groups: Rao, Linear Statistical Inference (1973), section 5g;
// the counts are of the order of Bernstein's.
data {
  array[4] int<lower=0> groups;  // O, A, B, AB
}
parameters {
  simplex[3] gene;  // A, B, O
}
transformed parameters {
  vector[4] p = [square(gene[3]), square(gene[1]) + 2 * gene[1] * gene[3], square(gene[2]) + 2 * gene[2] * gene[3],
                 2 * gene[1] * gene[2]]';
}
model {
  gene ~ dirichlet([1, 1, 1]');
  groups ~ multinomial(p);
}
generated quantities {
  real total = sum(p);
  real carriers_among_A = 2 * gene[1] * gene[3] / p[2];
}
