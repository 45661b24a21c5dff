parameters {
  real x;
}
model {
  x ~ student_t(4, 0, 1);
}
