// Ratings of moral permissibility, ordered, by an ordered predictor with monotonic effects: McElreath, Statistical Rethinking,
// 2nd ed., sections 12.3 and 12.4; Bürkner and Charpentier (2020); simulated.
data {
  int<lower=1> N;
  int<lower=2> K;
  int<lower=2> E;
  array[N] int<lower=1, upper=K> rating;
  array[N] int<lower=1, upper=E> education;
  vector[N] intention;
}
parameters {
  ordered[K - 1] cut;
  real per_intention;
  real per_education;
  simplex[E - 1] step;
}
transformed parameters {
  vector[E] height = append_row(0, cumulative_sum(step));
}
model {
  cut ~ normal(0, 1.5);
  per_intention ~ normal(0, 1);
  per_education ~ normal(0, 1);
  step ~ dirichlet(rep_vector(2, E - 1));
  rating ~ ordered_logistic(per_intention * intention + per_education * height[education], cut);
}
generated quantities {
  array[N] int<lower=1, upper=K> predicted;
  for (n in 1:N) {
    predicted[n] = ordered_logistic_rng(per_intention * intention[n] + per_education * height[education[n]], cut);
  }
}
