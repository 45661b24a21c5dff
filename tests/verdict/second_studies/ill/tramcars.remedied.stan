// One tramcar was seen, with number 203: how many are there? Jeffreys, Theory of Probability (1939), section 4.8, with his
// prior 1 / number, in continuous form. The posterior density falls with the square of the number: no mean. Remedied.
data {
  real<lower=1> seen;
}
parameters {
  real<lower=seen> cars;
}
model {
  cars ~ lognormal(log(400), 0.5);
  seen ~ uniform(0, cars);
}
