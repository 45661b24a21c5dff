parameters {
  positive_ordered[2] x;
}
model {
  x ~ exponential(1);
}
