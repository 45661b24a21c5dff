// Where is an emitter of which one antenna told the range alone? A thin ring: Gustafsson and Gunnarsson, IEEE Signal Processing
// Magazine 22 (2005), positioning by ranges; Betancourt, "Identity Crisis" (case study, 2020); made up.
// expect: tree_depth east/north
// expect: flat_direction east/north
// expect: missing_mass east/north
// expect: divergences east/north
// may: east north
data {
  real range;
  real<lower=0> error;
}
parameters {
  real east;
  real north;
}
model {
  east ~ normal(0, 10);
  north ~ normal(0, 10);
  range ~ normal(hypot(east, north), error);
}
