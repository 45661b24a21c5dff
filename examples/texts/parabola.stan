// x is 1, 2 or 3, and y tells whether it is 2, with errors: their covariance is 0, and yet each says something of the other.
//   credo exact examples/texts/parabola.stan --data examples/texts/parabola.json --pairs
data {
  real<lower=0, upper=0.5> error;
}
parameters {
  int<lower=1, upper=3> x;
  int<lower=0, upper=1> y;
}
model {
  x ~ categorical(rep_vector(1.0 / 3, 3));
  y ~ bernoulli(x == 2 ? 1 - error : error);
}
