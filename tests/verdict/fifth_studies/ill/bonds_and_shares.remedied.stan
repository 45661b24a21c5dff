// Ranks of monthly returns of bonds and shares, a Gaussian copula whose correlation was declared as positive: Joe, Dependence
// Modeling with Copulas (2014); Genest and Favre, Journal of Hydrologic Engineering 12 (2007), on pseudo-observations; simulated
// with a correlation of minus a half. Remedied.
data {
  int<lower=1> N;
  vector<lower=0, upper=1>[N] u;
  vector<lower=0, upper=1>[N] v;
}
transformed data {
  vector[N] a = inv_Phi(u);
  vector[N] b = inv_Phi(v);
}
parameters {
  real<lower=-1, upper=1> rho;
}
model {
  target += -0.5 * N * log1m(square(rho))
            - (square(rho) * (dot_self(a) + dot_self(b)) - 2 * rho * dot_product(a, b)) / (2 * (1 - square(rho)));
}
