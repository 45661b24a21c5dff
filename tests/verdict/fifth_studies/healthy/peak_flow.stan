// Peak flow of seventeen people by two instruments, twice each: Bland and Altman, Lancet 327 (1986); Dunn, Statistical Evaluation of Measurement Errors (2004). Accused: components of variance of ten and of a hundred, a share of variance next to one, offset and multiplier.
data {
  int<lower=1> N;
  array[N] vector[4] flow;
}
parameters {
  vector<offset=450, multiplier=30>[2] instrument;
  real<lower=0> between;
  real<lower=0> person_by_instrument;
  vector<lower=0>[2] within;
}
model {
  matrix[4, 4] Sigma = rep_matrix(square(between), 4, 4);
  instrument ~ normal(450, 100);
  between ~ normal(100, 50);
  person_by_instrument ~ normal(0, 40);
  within ~ normal(0, 40);
  Sigma[1:2, 1:2] += square(person_by_instrument);
  Sigma[3:4, 3:4] += square(person_by_instrument);
  for (i in 1:2) {
    Sigma[i, i] += square(within[1]);
    Sigma[i + 2, i + 2] += square(within[2]);
  }
  flow ~ multi_normal(instrument[{1, 1, 2, 2}], Sigma);
}
generated quantities {
  real bias = instrument[2] - instrument[1];
  real reliability = square(between) / (square(between) + square(person_by_instrument) + square(within[2]));
  real new_difference = normal_rng(bias, sqrt(2 * square(person_by_instrument) + sum(square(within))));
  real ratio_of_errors = within[2] / within[1];
}
