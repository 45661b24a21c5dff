// Ratings of hotels by guests on a scale from one to five, ordered logit: Agresti, Analysis of Ordinal Categorical Data (2010),
// chapter 3; simulated. The cut points aren't declared as ordered, and hardly anybody gives three stars, so that two of them are
// close. Remedied.
data {
  int<lower=1> N;
  vector[N] price;
  array[N] int<lower=1, upper=5> stars;
}
parameters {
  real beta;
  ordered[4] cut;
}
model {
  beta ~ normal(0, 2);
  cut ~ normal(0, 3);
  stars ~ ordered_logistic(beta * price, cut);
}
