// What alligators of five sizes eat: a logit for every food and none as the reference: Agresti, Categorical Data Analysis,
// section 8.1; BUGS examples, volume 1, "Alligators"; simulated. Only differences between foods act.
// expect: flat_direction level/slope
// may: level slope
data {
  int<lower=1> S;
  vector[S] size;
  array[S, 3] int<lower=0> eaten;
}
parameters {
  vector[3] level;
  vector[3] slope;
}
model {
  level ~ normal(0, 100);
  slope ~ normal(0, 100);
  for (s in 1:S) {
    eaten[s] ~ multinomial(softmax(level + slope * size[s]));
  }
}
