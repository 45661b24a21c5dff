// A network with one hidden layer of rectified values as a deep Gaussian process whose kernels have few features: given the first
// weights, outputs have the covariance beta^2 + phi phi' / H.
//   credo expect examples/texts/deep_linear.stan --data examples/texts/deep_linear.json --of 'f[1] * f[2]'
data {
  int<lower=1> N, D, H;
  matrix[N, D] x;
  real<lower=0> beta;
}
parameters {
  matrix[D, H] w1;
  row_vector[H] b1;
  vector[H] w2;
  real b2;
}
transformed parameters {
  matrix[N, H] phi = fmax(0, x * w1 + rep_matrix(beta * b1, N));
  vector[N] f = phi * w2 / sqrt(H) + beta * b2;
  matrix[N, N] K2 = phi * phi' / H + beta^2;
}
model {
  to_vector(w1) ~ std_normal();
  b1 ~ std_normal();
  w2 ~ std_normal();
  b2 ~ std_normal();
}
