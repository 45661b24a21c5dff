// Kinds of tools of ten islands' societies by population and contact: Kline and Boyd, Proceedings of the Royal Society B 277 (2010); McElreath, Statistical Rethinking, second edition (2020), section 11.2. Accused: slope of few points, forecasts at a population far outside, counts among the outputs.
data {
  int<lower=1> N;
  vector<lower=0>[N] population;
  array[N] int<lower=1, upper=2> contact;
  array[N] int<lower=0> tools;
}
transformed data {
  vector[N] x = (log(population) - mean(log(population))) / sd(log(population));
}
parameters {
  vector[2] a;
  vector[2] b;
}
model {
  a ~ normal(3, 0.5);
  b ~ normal(0, 0.2);
  tools ~ poisson_log(a[contact] + b[contact] .* x);
}
generated quantities {
  vector[N] log_lik;
  array[N] int tools_rep;
  array[2] int tools_of_a_million;
  for (n in 1:N) {
    log_lik[n] = poisson_log_lpmf(tools[n] | a[contact[n]] + b[contact[n]] * x[n]);
    tools_rep[n] = poisson_log_rng(a[contact[n]] + b[contact[n]] * x[n]);
  }
  for (c in 1:2) {
    tools_of_a_million[c] = poisson_log_rng(a[c] + b[c] * (log(1e6) - mean(log(population))) / sd(log(population)));
  }
}
