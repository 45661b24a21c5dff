// Hits of eighteen batters in their first forty-five times at bat, intercepts given by standard normal ones: Efron and Morris, JASA 70 (1975); Carpenter, Hierarchical Partial Pooling for Repeated Binary Trials (2016). Accused: a spread with its mode at zero, which is right since batters hardly differ; ranks and a flag of the best.
data {
  int<lower=1> N;
  int<lower=1> at_bat;
  array[N] int<lower=0> hits;
}
parameters {
  real mu;
  real<lower=0> sigma;
  vector[N] z;
}
transformed parameters {
  vector[N] alpha = mu + sigma * z;
}
model {
  mu ~ normal(-1, 1);
  sigma ~ normal(0, 0.5);
  z ~ std_normal();
  hits ~ binomial_logit(at_bat, alpha);
}
generated quantities {
  vector[N] ability = inv_logit(alpha);
  array[N] int place;
  array[N] int best;
  array[N] int later_hits;
  array[N] int hits_rep;
  for (n in 1:N) {
    place[n] = 1 + rank(-alpha, n);
    best[n] = place[n] == 1;
    later_hits[n] = binomial_rng(300, ability[n]);
    hits_rep[n] = binomial_rng(at_bat, ability[n]);
  }
  int as_high = max(hits_rep) >= max(hits);
}
