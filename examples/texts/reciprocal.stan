// The mean of 1 / (1 + x) for a uniform x, log 2, plainly, by a control variate and by antithetic pairs [murphy2023, 11.6]:
//   credo expect examples/texts/reciprocal.stan --of '1 / (1 + x)' --of '1 / (1 + x) + 0.4773 * (x - 0.5)'
//     --points independent --number 150 --replicates 10
//   credo expect examples/texts/reciprocal.stan --of '1 / (1 + x)' --points antithetic --number 150 --replicates 10
parameters {
  real<lower=0, upper=1> x;
}
model {
  x ~ uniform(0, 1);
}
