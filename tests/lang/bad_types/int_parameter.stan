parameters {
  int k;
  array[2] tuple(real, int) t;
}
transformed parameters {
  int m = 1;
  {
    int local = 2;
    print(local);
  }
}
// expect error: int-parameter 2:7
// expect error: int-parameter 3:29
// expect error: int-parameter 6:7
