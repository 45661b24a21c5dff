// Choices of car, bus or train by cost and with a constant of all but the first, conditional logit: McFadden (1974), in Frontiers
// in Econometrics; Greene, Econometric Analysis (2012), chapter 18; simulated.
data {
  int<lower=1> N;
  array[N] vector[3] cost;
  array[N] int<lower=1, upper=3> choice;
}
parameters {
  vector[2] constant;
  real beta;
}
model {
  vector[3] alpha = append_row(0, constant);
  constant ~ normal(0, 2);
  beta ~ normal(0, 2);
  for (n in 1:N) {
    choice[n] ~ categorical_logit(alpha + beta * cost[n]);
  }
}
generated quantities {
  real worth_of_train = -constant[2] / beta;
}
