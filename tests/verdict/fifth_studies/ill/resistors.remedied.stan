// Two resistors of wide tolerance in parallel, of which only the total was measured, precisely: Horowitz and Hill, The Art of
// Electronics (2015), chapter 1; Betancourt, Identity Crisis (case study, 2020); made up. The posterior is a thin bent ridge.
// Remedied: the total and a share as parameters.
data {
  real measured;
  real<lower=0> error;
}
parameters {
  real<offset=measured, multiplier=error> total;
  real<lower=0, upper=1> w;
}
transformed parameters {
  real r1 = total / w;
  real r2 = total / (1 - w);
}
model {
  target += log(total) - 2 * log(w) - 2 * log1m(w);  // priors are those of r1 and r2
  r1 ~ normal(20, 4);
  r2 ~ normal(20, 4);
  measured ~ normal(total, error);
}
