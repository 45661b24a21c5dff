// Prices and quantities on a market as the crossing of a demand curve and a supply curve, both unknown: Working, Quarterly Journal
// of Economics 41 (1927); Leamer, Econometrica 49 (1981); simulated. Three moments of the data can't tell four parameters.
// expect: flat_direction demand/supply/sd_demand/sd_supply
// may: demand supply sd_demand sd_supply
// level: note
data {
  int<lower=1> N;
  vector[N] price;
  vector[N] quantity;
}
parameters {
  real<lower=0> demand;
  real<lower=0> supply;
  real<lower=0> sd_demand;
  real<lower=0> sd_supply;
}
model {
  demand ~ lognormal(0, 1);
  supply ~ lognormal(0, 1);
  sd_demand ~ lognormal(0, 1);
  sd_supply ~ lognormal(0, 1);
  quantity + demand * price ~ normal(0, sd_demand);
  quantity - supply * price ~ normal(0, sd_supply);
  target += N * log(demand + supply);
}
