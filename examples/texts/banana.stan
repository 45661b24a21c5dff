// A bent distribution of two values, normalised: its evidence is 1, and every bound is below 0.
//   credo approximate examples/texts/banana.stan --method flow --layers spline:4
parameters {
  real x;
  real y;
}
model {
  x ~ normal(0, 2);
  y ~ normal(0.5 * x^2, 0.5);
}
