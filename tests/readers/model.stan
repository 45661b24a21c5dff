// One variable of each shape, with a posterior that mixes well.
data {
  int N;
  vector[N] y;
}
parameters {
  real mu;
  vector<lower=0>[2] sigma;
  array[2] simplex[3] p;
  matrix[2, 3] A;
}
transformed parameters {
  real v = square(mu);
  matrix[2, 2] L = A * A';
}
model {
  mu ~ normal(0, 5);
  sigma ~ gamma(4, 4);
  for (i in 1:2) p[i] ~ dirichlet([2, 3, 4]');
  to_vector(A) ~ std_normal();
  y ~ normal(mu, sigma[1]);
}
generated quantities {
  array[N] int k;
  real z = normal_rng(mu, sigma[2]);
  for (n in 1:N) k[n] = poisson_rng(3);
}
