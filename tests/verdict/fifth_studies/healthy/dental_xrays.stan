// Caries in X-rays judged by five dentists, two latent classes where each dentist is right more often than not: Espeland and Handelman, Biometrics 45 (1989); simulated. Accused: a mixture with exchangeable labels (the bound at one half forbids it), specificities with mass close to one.
data {
  int<lower=1> K;
  int<lower=1> J;
  array[K, J] int<lower=0, upper=1> judged;
  array[K] int<lower=0> teeth;
}
parameters {
  real<lower=0, upper=1> prevalence;
  vector<lower=0.5, upper=1>[J] sensitivity;
  vector<lower=0.5, upper=1>[J] specificity;
}
transformed parameters {
  vector[K] sick;
  vector[K] sound;
  for (k in 1:K) {
    sick[k] = log(prevalence);
    sound[k] = log1m(prevalence);
    for (j in 1:J) {
      sick[k] += judged[k, j] ? log(sensitivity[j]) : log1m(sensitivity[j]);
      sound[k] += judged[k, j] ? log1m(specificity[j]) : log(specificity[j]);
    }
  }
}
model {
  prevalence ~ beta(1, 1);
  sensitivity ~ beta(4, 2);
  specificity ~ beta(4, 1);
  for (k in 1:K) {
    target += teeth[k] * log_sum_exp(sick[k], sound[k]);
  }
}
generated quantities {
  array[K] int sick_teeth;
  for (k in 1:K) {
    sick_teeth[k] = binomial_rng(teeth[k], inv_logit(sick[k] - sound[k]));
  }
}
