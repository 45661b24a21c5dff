// One mistake a line; the parser goes on after each.
model {
  real x
  x = 3;
  x + 1;
  f(x) = 3;
  (x, 2) = y;
  (x, y) += 3;
  x = 1:3;
  x = "text";
  x = ;
  if (x = 1) x = 2;
  for (i in 1:) { x = 2; }
  while x { x = 2; }
  else x = 3;
  target = 3;
  y ~ normal(0, 1) T[1];
  retrun x;
  vectr[3] v;
  print();
  profile(x) { }
  x = {};
  x = (1, 2;
  real until;
  y ~ normal(0, 1) T[1, 2]
  x = target;
}
// expect error: unexpected-token 3:9
// expect error: expression-statement 5:3
// expect error: not-assignable 6:3
// expect error: not-assignable 7:3
// expect error: not-assignable 8:3
// expect error: range-not-allowed 9:8
// expect error: string-not-allowed 10:7
// expect error: unexpected-token 11:7
// expect error: unexpected-token 12:9
// expect error: unexpected-token 13:15
// expect error: unexpected-token 14:9
// expect error: unexpected-token 15:3
// expect error: unexpected-token 16:10
// expect error: unexpected-token 17:23
// expect error: unexpected-token 18:10
// expect error: unexpected-token 19:12
// expect error: unexpected-token 20:9
// expect error: unexpected-token 21:11
// expect error: unexpected-token 22:8
// expect error: unexpected-token 23:12
// expect error: reserved-word 24:8
// expect error: unexpected-token 25:27
// expect error: unexpected-token 26:13
