functions {
  int f(int n) {
    while (1) {
      if (n > 3) {
        return 1.5;
      }
    }
  }
  void g() {
    return 1;
  }
  int h() {
    return;
  }
}
transformed data {
  break;
  continue;
  return;
}
// expect error: return-type 5:16
// expect error: return-type 10:12
// expect error: return-type 13:5
// expect error: outside-loop 17:3
// expect error: outside-loop 18:3
// expect warning: unreachable-statement 18:3
// expect error: return-outside-function 19:3
