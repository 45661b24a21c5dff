// Cases of a rare disease among screened persons: Kruschke, Doing Bayesian Data Analysis, 2nd ed., chapter 6. The proportion
// has no bounds.
// expect: missing_constraint prevalence
data {
  int<lower=1> screened;
  int<lower=0> cases;
}
parameters {
  real prevalence;  // here
}
model {
  cases ~ binomial(screened, prevalence);  // here
}
