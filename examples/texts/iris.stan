// Two kinds of iris by length and width of their sepals. A flower on the boundary belongs to either kind with probability 1/2.
//   credo sample examples/texts/iris.stan --data examples/texts/iris_balanced.json
data {
  int<lower=1> N;
  vector[N] length, width;
  array[N] int<lower=0, upper=1> versicolor;
}
parameters {
  real b;
  vector[2] w;
}
model {
  b ~ normal(0, 20);
  w ~ normal(0, 2);
  versicolor ~ bernoulli_logit(b + w[1] * length + w[2] * width);
}
generated quantities {
  array[3] real boundary;  // the width at the lengths 4.5, 5.5, 6.5
  for (k in 1 : 3) boundary[k] = -(b + w[1] * (3.5 + k)) / w[2];
}
