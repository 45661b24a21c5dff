// What alligators eat, by their size: a logit for every food and none as the reference: Agresti, Categorical Data Analysis,
// section 8.1; BUGS examples, volume 1, "Alligators"; simulated. Only differences between foods act.
data {
  int<lower=1> N;
  vector[N] size;
  array[N] int<lower=1, upper=3> food;
}
parameters {
  vector[2] level;
  vector[2] slope;
}
model {
  level ~ normal(0, 3);
  slope ~ normal(0, 3);
  for (n in 1:N) {
    food[n] ~ categorical_logit(append_row(0, level + slope * size[n]));
  }
}
