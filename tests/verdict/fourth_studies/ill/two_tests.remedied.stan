// Two tests for tuberculosis of cattle in two herds, without knowing who is ill: Hui and Walter, Biometrics 36 (1980); simulated.
// Nothing says that a positive test speaks for illness, so that the ill and the well may be exchanged. Remedied.
// sample: --chains 8
data {
  array[2, 4] int<lower=0> animals;
}
parameters {
  vector<lower=0, upper=1>[2] prevalence;
  vector<lower=0.5, upper=1>[2] sensitivity;
  vector<lower=0.5, upper=1>[2] specificity;
}
model {
  for (h in 1:2) {
    vector[4] cell;
    for (a in 0:1) {
      for (b in 0:1) {
        cell[2 * a + b + 1]
            = prevalence[h] * (a ? sensitivity[1] : 1 - sensitivity[1]) * (b ? sensitivity[2] : 1 - sensitivity[2])
              + (1 - prevalence[h]) * (a ? 1 - specificity[1] : specificity[1]) * (b ? 1 - specificity[2] : specificity[2]);
      }
    }
    animals[h] ~ multinomial(cell);
  }
}
