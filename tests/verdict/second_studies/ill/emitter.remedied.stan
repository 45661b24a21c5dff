// Where is an emitter of which one antenna told the range alone? A thin ring: Gustafsson and Gunnarsson, IEEE Signal Processing
// Magazine 22 (2005), positioning by ranges; Betancourt, "Identity Crisis" (case study, 2020); made up. Remedied.
data {
  real range;
  real<lower=0> error;
}
parameters {
  unit_vector[2] bearing;
  real<offset=range, multiplier=error> distance;
}
transformed parameters {
  real east = distance * bearing[1];
  real north = distance * bearing[2];
}
model {
  target += log(distance);  // the area element: priors are those of east and north
  east ~ normal(0, 10);
  north ~ normal(0, 10);
  range ~ normal(distance, error);
}
