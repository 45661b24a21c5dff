// Choices of foragers among four patches, each patch with a weight of which the shares are made by dividing by their sum: Luce,
// Individual Choice Behavior (1959); simulated. Twice the weights make the same shares.
// expect: flat_direction weight
// level: note
data {
  array[4] int<lower=0> visits;
}
parameters {
  vector<lower=0>[4] weight;
}
model {
  weight ~ lognormal(0, 5);
  visits ~ multinomial(weight / sum(weight));
}
