// A regression with outliers, Student's t with unknown degrees of freedom.
data { int N; vector[N] x; vector[N] y; }
parameters { real a; real b; real<lower=0> sigma; real<lower=1> nu; }
model {
  a ~ normal(0, 2);
  b ~ normal(0, 1);
  sigma ~ lognormal(0, 0.4);
  nu ~ gamma(2, 0.1);
  y ~ student_t(nu, a + b * x, sigma);
}
