// A regularised horseshoe over eight coefficients.
// quantiles: lambda tau c2
data { int N; int K; matrix[N, K] X; vector[N] y; }
parameters { vector[K] z; vector<lower=0>[K] lambda; real<lower=0> tau; real<lower=0> c2; real<lower=0> s; }
transformed parameters { vector[K] b = z .* (sqrt(c2) * lambda ./ sqrt(c2 + square(tau * lambda))) * tau; }
model {
  z ~ std_normal();
  lambda ~ student_t(1, 0, 1);
  tau ~ student_t(1, 0, 0.3);
  c2 ~ inv_gamma(2, 8);
  s ~ normal(0, 2);
  y ~ normal(X * b, s);
}
