// Priors alone, as a check: a wide uniform one, a probability, an angle.
parameters {
  real<lower=0, upper=100> length;
  real<lower=0, upper=1> p;
  unit_vector[2] direction;
  real x;
}
model {
  x ~ student_t(7, 0, 1);
}
generated quantities {
  real angle = atan2(direction[2], direction[1]);
}
