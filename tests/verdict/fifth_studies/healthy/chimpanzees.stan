// Levers pulled by seven chimpanzees, of whom the second always pulls the left one: Silk et al., Nature 437 (2005); McElreath, Statistical Rethinking, second edition (2020), section 11.1; simulated. Accused: separation, an intercept that only the prior holds, a zero as the first treatment, predictions that hardly vary.
data {
  int<lower=1> N;
  int<lower=1> trials;
  array[N] int<lower=1, upper=7> actor;
  array[N] int<lower=1, upper=4> treatment;
  array[N] int<lower=0> left;
}
parameters {
  vector[7] a;
  vector[3] b_free;
}
transformed parameters {
  vector[4] b = append_row(0, b_free);
}
model {
  a ~ normal(0, 1.5);
  b_free ~ normal(0, 0.5);
  left ~ binomial_logit(trials, a[actor] + b[treatment]);
}
generated quantities {
  array[N] int left_rep;
  for (n in 1:N) {
    left_rep[n] = binomial_rng(trials, inv_logit(a[actor[n]] + b[treatment[n]]));
  }
}
