// A moving average of order one with its exact likelihood, coefficient not confined to the invertible ones: Box and Jenkins,
// chapter 3; Durbin and Koopman, Time Series Analysis by State Space Methods, chapter 3; simulated. theta and 1 / theta fit
// equally. Remedied.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  real<lower=-1, upper=1> theta;
  real<lower=0> sigma;
}
model {
  matrix[T, T] S = diag_matrix(rep_vector(square(sigma) * (1 + square(theta)), T));
  for (t in 2:T) {
    S[t, t - 1] = square(sigma) * theta;
    S[t - 1, t] = S[t, t - 1];
  }
  theta ~ normal(0, 2);
  sigma ~ normal(0, 2);
  y ~ multi_normal(rep_vector(0, T), S);
}
