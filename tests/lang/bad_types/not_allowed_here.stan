functions {
  real a(real x) {
    target += x;
    return normal_rng(0, 1);
  }
  real b_lpdf(real x) {
    x ~ normal(0, 1);
    return normal_lupdf(x | 0, 1);
  }
  void c_lp(real x) {
    x ~ normal(0, 1);
    target += target() + normal_lupdf(x | 0, 1);
  }
  real d_rng() {
    return normal_rng(0, 1);
  }
  real e_jacobian(real x) {
    jacobian += x;
    return x;
  }
}
transformed data {
  real x = normal_rng(0, 1);
  x ~ normal(0, 1);
  c_lp(1);
}
parameters {
  real p;
}
transformed parameters {
  real q = e_jacobian(p);
  jacobian += q;
  target += q;
}
model {
  jacobian += p;
  target += d_rng();
  target += e_jacobian(p);
}
generated quantities {
  real y = normal_lupdf(1 | 0, 1);
  real z = normal_lpdf(1 | 0, 1);
  real w = target();
}
// expect error: not-allowed-here 3:5
// expect error: not-allowed-here 4:12
// expect error: not-allowed-here 7:5
// expect error: not-allowed-here 12:26
// expect error: not-allowed-here 24:3
// expect error: not-allowed-here 25:3
// expect error: not-allowed-here 33:3
// expect error: not-allowed-here 36:3
// expect error: not-allowed-here 37:13
// expect error: not-allowed-here 38:13
// expect error: not-allowed-here 41:12
// expect error: not-allowed-here 43:12
