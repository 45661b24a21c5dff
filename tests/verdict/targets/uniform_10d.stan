parameters {
  vector<lower=0, upper=1>[10] x;
}
model {
  
}
