// Labels drawn first: 0 and 1 in turn, as many as their weight.
data { int N; vector[N] y; }
parameters { real low; real<lower=2.5, upper=6> apart; vector<lower=0>[2] s; }
model {
  low ~ normal(-2, 1);
  s ~ lognormal(0, 0.2);
  for (i in 1:N) y[i] ~ normal(i % 3 == 0 ? low : low + apart, i % 3 == 0 ? s[1] : s[2]);
}
