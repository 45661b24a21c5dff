// Choices of foragers among four patches, each patch with a weight of which the shares are made by dividing by their sum: Luce,
// Individual Choice Behavior (1959); simulated. Twice the weights make the same shares. Remedied.
data {
  array[4] int<lower=0> visits;
}
parameters {
  simplex[4] share;
}
model {
  share ~ dirichlet(rep_vector(1, 4));
  visits ~ multinomial(share);
}
