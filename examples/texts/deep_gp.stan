// Two Gaussian processes, one of the other's values: y = f2(f1(x)) + noise. The outcomes jump, and a deep process can.
//   credo sample examples/texts/deep_gp.stan --data examples/texts/deep_gp.json
functions {
  matrix smooth_cov(vector a, vector b, real length) {
    matrix[rows(a), rows(b)] k;
    for (i in 1 : rows(a)) for (j in 1 : rows(b)) k[i, j] = exp(-0.5 * square((a[i] - b[j]) / length));
    return k;
  }
}
data {
  int<lower=1> N;
  vector[N] x, y;
  real<lower=0> length, noise;
  real new_x;
}
transformed data {
  matrix[N, N] K1 = add_diag(smooth_cov(x, x, length), 1e-6);
  matrix[N, N] root = cholesky_decompose(K1);
  vector[N] k1_new = smooth_cov(x, [new_x]', length)[ : , 1];
  vector[N] weights_new = K1 \ k1_new;
  real spread_new = sqrt(1 + 1e-6 - dot_product(k1_new, weights_new));
}
parameters {
  vector[N] z;
}
transformed parameters {
  vector[N] f1 = root * z;
  matrix[N, N] K2 = smooth_cov(f1, f1, 1);
}
model {
  z ~ std_normal();
  y ~ multi_normal(rep_vector(0, N), add_diag(K2, square(noise)));
}
generated quantities {
  // The mean of f2 at new_x given the hidden values there, and a draw of it: both have the same expectation.
  real f1_new = normal_rng(dot_product(weights_new, f1), spread_new);
  vector[N] k2_new = smooth_cov(f1, [f1_new]', 1)[ : , 1];
  vector[N] alpha = add_diag(K2, square(noise)) \ y;
  real mean_new = dot_product(k2_new, alpha);
  real draw_new = normal_rng(mean_new, sqrt(1 - dot_product(k2_new, add_diag(K2, square(noise)) \ k2_new)));
}
