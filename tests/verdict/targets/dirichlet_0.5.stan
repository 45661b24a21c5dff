parameters {
  simplex[3] p;
}
model {
  p ~ dirichlet([0.5, 0.5, 0.5]');
}
