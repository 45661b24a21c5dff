// A trial that looks for the highest dose borne, the continual reassessment method with one parameter: O'Quigley, Pepe and Fisher, Biometrics 46 (1990); Cheung, Dose Finding by the Continual Reassessment Method (2011); made-up figures. Accused: a dose as a whole number, predictions that are nearly always zero, tiny probabilities.
data {
  int<lower=1> D;
  vector<lower=0, upper=1>[D] skeleton;
  array[D] int<lower=0> treated;
  array[D] int<lower=0> toxic;
}
parameters {
  real slope;
}
transformed parameters {
  vector[D] toxicity = exp(exp(slope) * log(skeleton));
}
model {
  slope ~ normal(0, 1.34);
  toxic ~ binomial(treated, toxicity);
}
generated quantities {
  int recommended = 1;
  array[D] int next_three;
  for (d in 1:D) {
    if (abs(toxicity[d] - 0.3) < abs(toxicity[recommended] - 0.3)) {
      recommended = d;
    }
    next_three[d] = binomial_rng(3, toxicity[d]);
  }
}
