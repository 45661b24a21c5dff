// What alligators eat, by their size: a logit for every food and none as the reference: Agresti, Categorical Data Analysis,
// section 8.1; BUGS examples, volume 1, "Alligators"; simulated. Only differences between foods act.
// expect: flat_direction level/slope
// may: level slope
data {
  int<lower=1> N;
  vector[N] size;
  array[N] int<lower=1, upper=3> food;
}
parameters {
  vector[3] level;
  vector[3] slope;
}
model {
  level ~ normal(0, 25);
  slope ~ normal(0, 25);
  for (n in 1:N) {
    food[n] ~ categorical_logit(level + slope * size[n]);
  }
}
