// Cases of a rare disease among screened persons: Kruschke, Doing Bayesian Data Analysis, 2nd ed., chapter 6. The proportion
// has no bounds.
// Remedied: the bounds of a proportion.
data {
  int<lower=1> screened;
  int<lower=0> cases;
}
parameters {
  real<lower=0, upper=1> prevalence;
}
model {
  cases ~ binomial(screened, prevalence);
}
