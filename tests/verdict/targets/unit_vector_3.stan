parameters {
  unit_vector[3] x;
}
model {
  
}
