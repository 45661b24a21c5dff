// Points of the unit square: how evenly do the rules fill it [murphy2023, 11.6.4]?
//   credo expect examples/texts/square.stan --points sobol --number 256 --of 'x < 0.25 && y < 0.25' --of 'exp(x + y)'
parameters {
  real<lower=0, upper=1> x;
  real<lower=0, upper=1> y;
}
model {
  x ~ uniform(0, 1);
  y ~ uniform(0, 1);
}
