functions {
  real a(int n) {
    if (n > 0) {
      return 1;
    }
  }
  real b(int n) {
    if (n > 0) {
      return 1;
    } else {
      reject("no");
    }
  }
  real c(int n) {
    for (i in 1 : n) {
      if (i > 2) return i;
    }
  }
  real d() {
    while (1) {
      break;
    }
  }
}
// expect error: missing-return 2:8
// expect error: missing-return 14:8
// expect error: missing-return 19:8
