// Answers of two hundred persons to eight questions on depression, an item response model with two parameters an item, and the
// spread of persons besides: it is known up to the unit of the scale only: Embretson and Reise, Item Response Theory for
// Psychologists (2000); simulated. Remedied.
data {
  int<lower=1> I;
  int<lower=1> J;
  array[J, I] int<lower=0, upper=1> yes;
}
parameters {
  vector<lower=0>[I] steepness;
  vector[I] difficulty;
  vector[J] z;
}
model {
  steepness ~ lognormal(0, 0.7);
  difficulty ~ normal(0, 2);
  z ~ std_normal();
  for (i in 1:I) {
    yes[, i] ~ bernoulli_logit(steepness[i] * (z - difficulty[i]));
  }
}
