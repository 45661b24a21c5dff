parameters {
  real x;
}
model {
  x ~ student_t(10, 0, 1);
}
