// A Gaussian process of H outputs below another one with the kernel exp(-d^2 / (2 H)), both of them smooth: the wider the first, the
// nearer the second comes to one process with the kernel exp(exp(-d^2 / 2) - 1), which learns no features.
//   credo expect examples/texts/deep_limit.stan --data examples/texts/deep_limit.json --of 'kernel[1, 2]'
data {
  int<lower=1> N, H;
  array[N] real x;
}
transformed data {
  matrix[N, N] root = cholesky_decompose(add_diag(gp_exp_quad_cov(x, 1, 1), 1e-10));
}
parameters {
  matrix[N, H] z;
}
transformed parameters {
  matrix[N, H] hidden = root * z;
}
model {
  to_vector(z) ~ std_normal();
}
generated quantities {
  matrix[N, N] kernel;
  for (i in 1 : N) for (j in 1 : N) kernel[i, j] = exp(-0.5 * squared_distance(hidden[i], hidden[j]) / H);
}
