// Abbott's correction of mortality, as the logarithm of a difference: Abbott (1925); Finney, Probit Analysis, chapter 7. The rate
// under treatment isn't above the control's in all draws.
// expect: missing_values log_excess
data {
  int<lower=0> treated;
  int<lower=0> treated_dead;
  int<lower=0> control;
  int<lower=0> control_dead;
}
parameters {
  real<lower=0, upper=1> p_treated;
  real<lower=0, upper=1> p_control;
}
model {
  p_treated ~ beta(1, 1);
  p_control ~ beta(1, 1);
  treated_dead ~ binomial(treated, p_treated);
  control_dead ~ binomial(control, p_control);
}
generated quantities {
  real log_excess = log(p_treated - p_control);  // here
}
