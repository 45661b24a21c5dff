// Yield of six batches of dyestuff, five samples each: Box and Tiao (1973); BUGS examples, volume 1, "Dyes". The share of the
// batches' variance is close to zero or not.
// sample: --adapt-delta 0.95
data {
  int<lower=1> B;
  int<lower=1> S;
  matrix[B, S] grams;
}
parameters {
  real<lower=0> sd_batch;
  real<lower=0> sd_sample;
  real<offset=1500, multiplier=50> mu;
  vector[B] z;
}
model {
  mu ~ normal(1500, 100);
  sd_batch ~ normal(0, 50);
  sd_sample ~ normal(0, 100);
  z ~ std_normal();
  for (b in 1:B) {
    grams[b] ~ normal(mu + sd_batch * z[b], sd_sample);
  }
}
generated quantities {
  real share = square(sd_batch) / (square(sd_batch) + square(sd_sample));
  real spread_ratio = sd_sample / sd_batch;
}
