// How many girls of each age have had their first period: a binomial regression with a probit link, of a normal threshold in age.
//   credo optimize examples/texts/menarche.stan --data examples/texts/menarche.csv --method newton
data {
  int<lower=1> N;
  vector[N] age;
  array[N] int<lower=0> total, reached;
}
parameters {
  real level, slope;
}
model {
  reached ~ binomial(total, Phi(level + slope * age));
}
