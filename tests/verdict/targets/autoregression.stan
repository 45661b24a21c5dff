data {
  vector[61] y;
}
parameters {
  real phi;
}
model {
  phi ~ normal(0, 1);
  y[2:61] ~ normal(phi * y[1:60], 1);
}
