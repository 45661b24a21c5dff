// A normal variable that is known to lie beyond bounds far out in its tail.
//   credo sample examples/texts/cut_normal.stan --data examples/texts/cut_normal.json --sampler exact
data {
  real from, to;
}
parameters {
  real<lower=from, upper=to> x;
}
model {
  x ~ normal(0, 1) T[from, to];
}
