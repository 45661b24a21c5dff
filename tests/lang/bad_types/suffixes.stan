functions {
  int a_lpdf(real x) {
    return 1;
  }
  real b_lpdf(int x) {
    return 1;
  }
  real c_lpmf(real x) {
    return 1;
  }
  real d_lupdf(real x) {
    return 1;
  }
  vector e_lcdf(real x) {
    return [x]';
  }
  real f_lpmf(array[] int x) {
    return 1;
  }
}
// expect error: suffix-signature 2:7
// expect error: suffix-signature 5:8
// expect error: suffix-signature 8:8
// expect error: suffix-signature 11:8
// expect error: suffix-signature 14:10
