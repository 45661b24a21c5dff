// Blocks in the wrong order, twice, unknown, and one without its end.
model {
}
data {
  int N;
}
model {
}
modle {
  x = 1;
}
}
transformed {
}
generated quantities {
  real y;
  if (y > 0) {
    y = 1;
transformed parameters {
  real z;
}
// expect error: block-order 4:1
// expect error: duplicate-block 7:1
// expect error: unexpected-token 9:1
// expect error: unexpected-token 12:1
// expect error: unexpected-token 13:13
// expect error: unexpected-token 19:1
// expect error: block-order 19:1
