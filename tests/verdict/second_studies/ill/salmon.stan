// Survival of salmon in four streams, one of which was never visited; a share that divides by the visits is written for each:
// Royle and Dorazio, Hierarchical Modeling and Inference in Ecology, chapter 3; simulated. Zero divided by zero is no number.
// expect: missing_values excess
data {
  int<lower=1> J;
  array[J] int<lower=0> tagged;
  array[J] int<lower=0> alive;
}
parameters {
  vector<lower=0, upper=1>[J] survival;
}
model {
  survival ~ beta(2, 2);
  alive ~ binomial(tagged, survival);
}
generated quantities {
  vector[J] excess;
  for (j in 1:J) {
    excess[j] = survival[j] - alive[j] * 1.0 / tagged[j];
  }
}
