// Two resistors of wide tolerance in parallel, of which only the total was measured, precisely: Horowitz and Hill, The Art of
// Electronics (2015), chapter 1; Betancourt, Identity Crisis (case study, 2020); made up. The posterior is a thin bent ridge.
// expect: flat_direction r1 r2
// expect: tree_depth r1/r2
// expect: divergences r1/r2
// expect: missing_mass r1/r2
// may: r1 r2
data {
  real measured;
  real<lower=0> error;
}
parameters {
  real<lower=0> r1;
  real<lower=0> r2;
}
model {
  r1 ~ normal(20, 4);
  r2 ~ normal(20, 4);
  measured ~ normal(r1 * r2 / (r1 + r2), error);
}
