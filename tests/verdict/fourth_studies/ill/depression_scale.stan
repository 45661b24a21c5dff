// Answers of two hundred persons to eight questions on depression, an item response model with two parameters an item, and the
// spread of persons besides: it is known up to the unit of the scale only: Embretson and Reise, Item Response Theory for
// Psychologists (2000); simulated.
// expect: flat_direction spread/steepness/difficulty
// may: spread steepness difficulty z
// level: note
data {
  int<lower=1> I;
  int<lower=1> J;
  array[J, I] int<lower=0, upper=1> yes;
}
parameters {
  vector<lower=0>[I] steepness;
  vector[I] difficulty;
  vector[J] z;
  real<lower=0> spread;
}
model {
  steepness ~ lognormal(0, 4);
  difficulty ~ normal(0, 50);
  z ~ std_normal();
  spread ~ lognormal(0, 3);
  for (i in 1:I) {
    yes[, i] ~ bernoulli_logit(steepness[i] * (spread * z - difficulty[i]));
  }
}
