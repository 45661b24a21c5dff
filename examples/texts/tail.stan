// P(z > 4) of a standard normal z, 3.167e-5: by draws of z; and by draws of x, which lies where the event is, times
// normal(x | 0, 1) / normal(x | 4, 1) = exp(8 - 4 x) [murphy2023, 11.5.3]:
//   credo expect examples/texts/tail.stan --points independent --of 'z > 4' --of '(x > 4) * exp(8 - 4 * x)'
parameters {
  real z;
  real x;
}
model {
  z ~ normal(0, 1);
  x ~ normal(4, 1);
}
