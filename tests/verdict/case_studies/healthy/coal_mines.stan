// Coal-mining disasters, the year of the change summed out: Carlin, Gelfand and Smith (1992); Stan User's Guide,
// "Latent discrete parameters".
data {
  int<lower=1> T;
  array[T] int<lower=0> disasters;
}
parameters {
  real<lower=0> early;
  real<lower=0> late;
}
transformed parameters {
  vector[T] log_joint = rep_vector(-log(T), T);
  {
    vector[T + 1] before;
    vector[T + 1] after;
    before[1] = 0;
    after[1] = 0;
    for (t in 1:T) {
      before[t + 1] = before[t] + poisson_lpmf(disasters[t] | early);
      after[t + 1] = after[t] + poisson_lpmf(disasters[t] | late);
    }
    for (s in 1:T) {
      log_joint[s] += before[s] + after[T + 1] - after[s];
    }
  }
}
model {
  early ~ exponential(0.5);
  late ~ exponential(0.5);
  target += log_sum_exp(log_joint);
}
generated quantities {
  int<lower=1, upper=T> change = categorical_logit_rng(log_joint);
  real ratio = early / late;
}
