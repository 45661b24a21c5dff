// Marks of essays on a scale of five, of which nobody got the best: Johnson and Albert, Ordinal Data Modeling (1999), chapter
// 5; simulated. Nothing says where the last cut point ends. Remedied.
data {
  int<lower=1> N;
  vector[N] words;
  array[N] int<lower=1, upper=5> mark;
}
parameters {
  real slope;
  ordered[4] cut;
}
model {
  slope ~ normal(0, 1);
  cut ~ normal(0, 3);
  mark ~ ordered_logistic(slope * words, cut);
}
