data {
  int N;
  array[N] real x;
  vector[N] y;
}
parameters {
  real<lower=0> amplitude;
  real<lower=0> lengthscale;
  real<lower=0> noise;
}
model {
  matrix[N, N] K;
  for (i in 1 : N) {
    K[i, i] = square(amplitude) + square(noise);
    for (j in (i + 1) : N) {
      K[i, j] = square(amplitude) * exp(-0.5 * square((x[i] - x[j]) / lengthscale));
      K[j, i] = K[i, j];
    }
  }
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(K));
}
