data {
  int T;
  vector[T] y;
}
parameters {
  real c;
  real a;
  real b;
  real<lower=0> sigma;
}
model {
  y[3 : T] ~ student_t(5, c + a * y[2 : (T - 1)] + b * y[1 : (T - 2)], sigma);
}
