// What alligators of five sizes eat: a logit for every food and none as the reference: Agresti, Categorical Data Analysis,
// section 8.1; BUGS examples, volume 1, "Alligators"; simulated. Only differences between foods act. Remedied.
data {
  int<lower=1> S;
  vector[S] size;
  array[S, 3] int<lower=0> eaten;
}
parameters {
  vector[2] level;
  vector[2] slope;
}
model {
  level ~ normal(0, 3);
  slope ~ normal(0, 3);
  for (s in 1:S) {
    eaten[s] ~ multinomial(softmax(append_row(0, level + slope * size[s])));
  }
}
