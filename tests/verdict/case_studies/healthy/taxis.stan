// How many taxis, from the numbers of ten: the problem of the German tanks, Jeffreys, Theory of Probability, section 4.8;
// Höhle and Held (2006). The posterior is Pareto's and has its mode at the bound, the highest number seen.
data {
  int<lower=1> N;
  vector<lower=0>[N] number;
}
parameters {
  real<lower=max(number)> taxis;
}
model {
  taxis ~ pareto(max(number) / 2, 1);
  number ~ uniform(0, taxis);
}
generated quantities {
  real<lower=0, upper=1> unseen = 1 - max(number) / taxis;
}
