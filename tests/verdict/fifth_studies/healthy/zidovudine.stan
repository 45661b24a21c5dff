// Stages of infection with HIV by year and their costs under one drug, a Markov model: Chancellor et al., PharmacoEconomics 12 (1997); Briggs, Claxton and Sculpher, Decision Modelling for Health Economic Evaluation (2006). Accused: simplexes with elements of a hundredth, zeros and ones of the matrix, costs in the ten thousands.
data {
  array[4] int<lower=0> first;
  array[3] int<lower=0> second;
  array[2] int<lower=0> third;
  vector<lower=0>[3] cost;
}
parameters {
  simplex[4] from_first;
  simplex[3] from_second;
  simplex[2] from_third;
}
model {
  from_first ~ dirichlet(rep_vector(1, 4));
  from_second ~ dirichlet(rep_vector(1, 3));
  from_third ~ dirichlet(rep_vector(1, 2));
  first ~ multinomial(from_first);
  second ~ multinomial(from_second);
  third ~ multinomial(from_third);
}
generated quantities {
  matrix[4, 4] move = rep_matrix(0, 4, 4);
  array[21] row_vector[4] share;
  real years = 0;
  real costs = 0;
  move[1] = from_first';
  move[2, 2:4] = from_second';
  move[3, 3:4] = from_third';
  move[4, 4] = 1;
  share[1] = [1, 0, 0, 0];
  for (t in 1:20) {
    share[t + 1] = share[t] * move;
    years += 1 - share[t + 1, 4];
    costs += share[t + 1, 1:3] * cost / 1.06 ^ t;
  }
  int dead_of_hundred = binomial_rng(100, share[6, 4]);
}
