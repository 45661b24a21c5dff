parameters {
  simplex[10] p;
}
model {
  p ~ dirichlet([2, 2, 2, 2, 2, 2, 2, 2, 2, 2]');
}
