// What alligators eat by their length, multinomial logit with fish as the reference: Agresti, Categorical Data Analysis (2013),
// section 8.1; simulated. The coefficients of the reference are zero in every draw.
data {
  int<lower=1> N;
  vector[N] length;
  array[N] int<lower=1, upper=3> food;
}
parameters {
  vector[2] a_free;
  vector[2] b_free;
}
transformed parameters {
  vector[3] a = append_row(0, a_free);
  vector[3] b = append_row(0, b_free);
}
model {
  a_free ~ normal(0, 2);
  b_free ~ normal(0, 2);
  for (n in 1:N) {
    food[n] ~ categorical_logit(a + b * length[n]);
  }
}
generated quantities {
  vector[3] p_long = softmax(a + b * 2);
  int food_next = categorical_logit_rng(a);
}
