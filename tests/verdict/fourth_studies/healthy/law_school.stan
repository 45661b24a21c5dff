// Ten questions of an admission test of a law school, two parameters an item and abilities of standard deviation one: Bock and
// Lieberman, Psychometrika 35 (1970); simulated.
data {
  int<lower=1> I;
  int<lower=1> J;
  array[I, J] int<lower=0, upper=1> right;
}
parameters {
  vector<lower=0>[I] a;
  vector[I] b;
  vector[J] ability;
}
model {
  a ~ lognormal(0, 0.5);
  b ~ normal(0, 2);
  ability ~ std_normal();
  for (i in 1:I) {
    right[i] ~ bernoulli_logit(a[i] * (ability - b[i]));
  }
}
