data {
  int N;
  vector[N] x;
  vector[N] y;
  real prior_scale;
}
parameters {
  real a;
}
model {
  a ~ normal(0, prior_scale);
}
// expect warning: unread-outcome 4:13
