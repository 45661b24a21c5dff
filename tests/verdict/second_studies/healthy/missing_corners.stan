// Correlation from twelve pairs of which eight lack a value, two low humps of the correlation that chains cross at ease:
// Murray, in the discussion of Dempster, Laird and Rubin (1977); Tanner, Tools for Statistical Inference (1996); BUGS examples,
// volume 2, "Camel".
// sample: --adapt-delta 0.95
data {
  int<lower=1> B;
  array[B] vector[2] both;
  int<lower=1> S;
  vector[S] first;
  vector[S] second;
}
parameters {
  real<lower=-1, upper=1> rho;
  vector<lower=0>[2] sigma;
}
model {
  sigma ~ lognormal(1, 1);
  both ~ multi_normal(rep_vector(0, 2), [[square(sigma[1]), rho * sigma[1] * sigma[2]],
                                         [rho * sigma[1] * sigma[2], square(sigma[2])]]);
  first ~ normal(0, sigma[1]);
  second ~ normal(0, sigma[2]);
}
generated quantities {
  real magnitude = abs(rho);
}
