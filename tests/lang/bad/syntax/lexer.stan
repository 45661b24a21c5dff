// Characters, numbers, names and strings that are none.
transformed data {
  real a = 1__0;
  real b = 2x;
  real c = 1e+;
  int d = 3000000000;
  real e = 1e400;
  real f = a @ b;
  real g__ = 1;
  real _h = 1;
  real i = a − b;
  real k = a & b;
  # an old comment
  print("no end);
  print(a);
}
// expect error: malformed-number 3:12
// expect error: malformed-number 4:12
// expect error: malformed-number 5:12
// expect error: int-literal-range 6:11
// expect error: real-literal-range 7:12
// expect error: invalid-character 8:14
// expect error: identifier-ends-in-two-underscores 9:8
// expect error: invalid-character 10:8
// expect error: invalid-character 11:14
// expect error: invalid-character 12:14
// expect error: hash-comment 13:3
// expect error: unclosed-string 14:9
