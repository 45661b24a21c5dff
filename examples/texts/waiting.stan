// An exponential law, drawn by its inverse distribution function [murphy2023, 11.3.1]:
//   credo sample examples/texts/waiting.stan --data examples/texts/waiting.json --sampler exact -o waiting.nc
data {
  real<lower=0> rate;
}
parameters {
  real<lower=0> x;
}
model {
  x ~ exponential(rate);
}
