// A funnel of ten values in its centred form [neal2003]: near v = -9 the others have a thousandth of the width that they have near v = 5. A flow
// takes it to a normal distribution, in whose space NUTS moves freely [hoffman2019]:
//   credo approximate examples/texts/funnel.stan --method flow --layers iaf:2 -o flow.nc
//   credo sample examples/texts/funnel.stan --through flow.nc -o draws.nc
parameters {
  real v;
  vector[9] x;
}
model {
  v ~ normal(0, 3);
  x ~ normal(0, exp(v / 2));
}
