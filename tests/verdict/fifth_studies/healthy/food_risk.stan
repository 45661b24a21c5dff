// Risk of an infection by a meal before any data, laws as experts gave them: Nauta, International Journal of Food Microbiology 57 (2000); Vose, Risk Analysis: A Quantitative Guide (2008). Accused: priors without data, a dose over many orders of magnitude without settled averages, risks of a millionth, cases that are nearly always none.
data {
  int<lower=1> meals;
}
parameters {
  real<lower=0, upper=1> prevalence;
  real<offset=1, multiplier=0.8> log10_concentration;
  real<offset=4.6, multiplier=0.3> log_serving;
  real<lower=0> growth;
  real<lower=0> reduction;
  real<offset=-12, multiplier=1> log_infectivity;
  simplex[3] cooking;
  real<lower=2, upper=8> fridge;
  real<offset=1000000, multiplier=200000> eaters;
}
model {
  prevalence ~ beta(1, 30);
  log10_concentration ~ normal(1, 0.8);
  log_serving ~ normal(4.6, 0.3);
  growth ~ gamma(2, 1);
  reduction ~ gamma(12, 3);
  log_infectivity ~ normal(-12, 1);
  cooking ~ dirichlet([8, 3, 0.9]');
  eaters ~ normal(1000000, 200000);
}
generated quantities {
  real dose = exp(log_serving) * 10 ^ (log10_concentration + growth - reduction * (1 - cooking[3]));
  real risk = -expm1(-exp(log_infectivity) * dose);
  int contaminated = binomial_rng(meals, prevalence);
  int cases = binomial_rng(contaminated, risk);
  int cold = fridge < 5;
  real cases_of_all = eaters * prevalence * risk;
}
