// Draws of a normal law, of which a histogram and a kernel density are made [murphy2023, 11.2.2]:
//   credo sample examples/texts/draws.stan --sampler exact --chains 1 --draws 100 -o draws.nc
parameters {
  real x;
}
model {
  x ~ normal(1.5, 0.5);
}
