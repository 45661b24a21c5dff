parameters {
  real x;
}
model {
  x ~ student_t(3, 0, 1);
}
