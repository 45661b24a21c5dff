// Two normal components, their means in order.
data { int N; vector[N] y; }
parameters { ordered[2] mu; vector<lower=0>[2] s; real<lower=0, upper=1> w; }
model {
  mu ~ normal(0, 3);
  s ~ lognormal(0, 0.3);
  w ~ beta(4, 4);
  for (i in 1:N) target += log_mix(w, normal_lpdf(y[i] | mu[1], s[1]), normal_lpdf(y[i] | mu[2], s[2]));
}
