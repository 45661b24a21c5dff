// Opinions on two inhalers' leaflets in four grades, cumulative logits with effects of opinions' cut points as a simplex of
// shares: Ezzet and Whitehead, Statistics in Medicine 10 (1991); BUGS examples, volume 1, "Inhalers"; Betancourt, "Ordinal
// Regression" (case study, 2019); simulated.
data {
  int<lower=1> N;
  vector[N] second_leaflet;
  array[N] int<lower=1, upper=4> opinion;
}
parameters {
  simplex[4] share;
  real beta;
}
transformed parameters {
  vector[3] cut = logit(head(cumulative_sum(share), 3));
}
model {
  share ~ dirichlet(rep_vector(1, 4));
  beta ~ normal(0, 1);
  opinion ~ ordered_logistic(beta * second_leaflet, cut);
}
generated quantities {
  real odds_ratio = exp(beta);
}
