// A point of a square of side 4: the share of its points in the circle of radius 2 is pi / 4 [murphy2023, 11.2.1]:
//   credo expect examples/texts/circle.stan --of '4 * (x^2 + y^2 < 4)' --points independent --number 250 --replicates 20
parameters {
  real<lower=-2, upper=2> x;
  real<lower=-2, upper=2> y;
}
model {
  x ~ uniform(-2, 2);
  y ~ uniform(-2, 2);
}
