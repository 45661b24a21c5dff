// Logarithms of house prices in twenty boroughs, a conditional autoregression: Cressie, Statistics for Spatial Data (1993),
// section 6.6; Banerjee, Carlin and Gelfand, Hierarchical Modeling and Analysis for Spatial Data (2014), section 4.3; simulated.
// With a dependence of one or more the matrix isn't a precision, and the declaration allows it. Remedied.
data {
  int<lower=1> N;
  matrix[N, N] W;
  vector[N] price;
}
transformed data {
  matrix[N, N] D = diag_matrix(W * rep_vector(1, N));
}
parameters {
  real mu;
  real<lower=0, upper=1> rho;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 2);
  rho ~ beta(6, 2);
  sigma ~ normal(0, 2);
  price ~ multi_normal_prec(rep_vector(mu, N), (D - rho * W) / square(sigma));
}
