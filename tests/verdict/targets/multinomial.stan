parameters {
  simplex[3] p;
}
model {
  p ~ dirichlet([1, 1, 1]');
  {12, 3, 7} ~ multinomial(p);
}
