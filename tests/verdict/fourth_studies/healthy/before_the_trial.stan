// What the priors of a trial of a vaccine say of its result before there are any data: Spiegelhalter, Abrams and Myles, Bayesian
// Approaches to Clinical Trials and Health-Care Evaluation (2004), chapter 5; Gabry et al., Journal of the Royal Statistical
// Society A 182 (2019).
data {
  int<lower=1> n;
}
parameters {
  real<lower=0, upper=1> risk;
  real log_ratio;
  real<lower=0> spread;
  simplex[3] of_age;
}
model {
  risk ~ beta(2, 50);
  log_ratio ~ normal(-0.5, 0.7);
  spread ~ exponential(2);
  of_age ~ dirichlet([3, 5, 2]');
}
generated quantities {
  real treated_risk = fmin(1, risk * exp(log_ratio));
  int cases = binomial_rng(n, risk);
  int treated_cases = binomial_rng(n, treated_risk);
  real efficacy = 1 - exp(normal_rng(log_ratio, spread));
}
