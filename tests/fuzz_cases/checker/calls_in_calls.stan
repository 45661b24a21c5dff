parameters {
  real x;
}
model {
  target += max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({max({x, 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1}), 1});
}
