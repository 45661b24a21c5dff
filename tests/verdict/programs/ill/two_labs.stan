// Two laboratories report the same constant and disagree; a robust likelihood makes two modes of it, one of them lower.
// expect: multimodal constant
// may: scale
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real constant;  // here
}
model {
  constant ~ normal(0, 5);  // here
  y ~ student_t(2, constant, 0.22);  // here
}
