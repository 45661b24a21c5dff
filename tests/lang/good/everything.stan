// One program with every form of the language.
functions {
  void note(real x);
  real twice(data real x) { return 2 * x; }
  array[,] real table(array[] vector x, tuple(int, array[] real) y, complex_matrix z) {
    return {{1.0}};
  }
  real shape_lpdf(vector y, real mu) { return normal_lpdf(y | mu, 1); }
  real tick_rng() { return normal_rng(0, 1); }
  void add_lp(real x) { target += x; }
  real up_jacobian(real y) { jacobian += y; return exp(y); }
  void note(real x) { print("x = ", x); return; }
}
data {
  int<lower=0> N, M;
  int<lower=1, upper=N> k;
  array[N] int<lower=0, upper=1> flags;
  array[N, M] vector<lower=0>[3] grid;
  matrix[N, M] X;
  row_vector<upper=10>[M] r;
  complex z;
  complex_vector[N] zv;
  complex_row_vector[N] zr;
  complex_matrix[N, M] zm;
  tuple(int<lower=0>, array[2] real, tuple(vector[N], complex)) t;
  array[3] tuple(real, real) pairs;
  tuple(real,) single;
}
transformed data {
  vector[N] centred = X[, 1] - mean(X[, 1]);
  int total = 0;
  real big = 1_000.5e+2, half = .5, whole = 2.;
  complex i2 = 3i + 2.5e1i;
  for (n in 1:N) total += flags[n];
  (total, half) = (1, 0.5);
  profile("setup") { total -= 1; }
}
parameters {
  real<offset=2, multiplier=twice(2)> mu;
  real<upper=mu, lower=-1> bounded;
  vector<lower=rep_vector(0, N), upper=1>[N] p;
  ordered[3] o;
  positive_ordered[3] po;
  simplex[3] s;
  unit_vector[3] u;
  sum_to_zero_vector[3] sz;
  sum_to_zero_matrix[3, 2] szm;
  column_stochastic_matrix[3, 2] cs;
  row_stochastic_matrix[3, 2] rs;
  cholesky_factor_corr[3] Lc;
  cholesky_factor_cov[3] Ls;
  cholesky_factor_cov[3, 2] Lr;
  corr_matrix[3] C;
  cov_matrix[3] S;
}
transformed parameters {
  real<lower=(1 < 2 ? 0 : 1)> sigma = exp(mu);
  jacobian += mu;
}
model {
  real lp = target();
  vector[N] v;
  array[2, 2] real a = {{1, 2}, {3, 4}};
  matrix[2, 2] m = [[1, 2], [3, 4]];
  row_vector[0] none = [];
  tuple(real, real) q = (1, 2);
  tuple(real,) one = (1,);
  v[1:2] = v[2:3];
  v[:] = v[];
  v[2:] = -v[:N - 1];
  m[, 1] = m[1]';
  a[1][2] = a[2, 1];
  q.1 = t.3.1[2] + pairs[2].2;
  v *= 2;
  v ./= v;
  m .*= m;
  lp /= 2;
  lp = -2 ^ 2 + 2 ^ -1 - (1 - 2) - 3 * (4 + 5) / 6 % 7;
  lp = !flags[1] == 1 || k > 2 && k <= 3 ? 1 : k != 4 ? 2 : 3;
  m = m \ m * m' .* m ./ m .^ 2 + 7 %/% 2;
  m = (m + m)'[1:2, {1, 2}];
  target += normal_lpdf(v | 0, 1);
  target += std_normal_lupdf(v | );
  mu ~ normal(0, 1) T[-1, 1];
  mu ~ normal(0, 1) T[, 1];
  mu ~ normal(0, 1) T[0, ];
  mu ~ normal(0, 1) T[, ];
  1 ~ bernoulli(0.5);
  log(sigma) ~ std_normal();
  if (k > 0) .5 ~ beta(1, 1);
  ({1, 2})[1:2] ~ poisson(3);
  for (x in v) target += x;
  for (n in 1:N) {
    if (n == 2) continue;
    else if (n > 5) break;
    else
      target += 1;
  }
  while (k > 100) ;
  if (k == 1) if (N == 1) print("both"); else print("only k");
  if (N < 0) reject("N is ", N);
  if (N < -1) {
    fatal_error("N is ", N);
  }
  {
    real local;
    local = 1;
  }
  add_lp(1);
  if (N) real unused;
}
generated quantities {
  int<lower=0> draw = poisson_rng(3);
  array[N] real T = normal_rng(p, 1);
  print(draw, " ", T[1:2]);
}
