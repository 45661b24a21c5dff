// Weeks of remission under 6-mercaptopurine or placebo: Freireich et al. (1963), Gehan (1965); BUGS examples, volume 1, "Leuk".
// The censored times are parameters; each has its mode at its lower bound, as it should.
data {
  int<lower=1> N;
  int<lower=1> C;
  int<lower=1> P;
  vector<lower=0>[N] drug;
  vector<lower=0>[C] drug_at_least;
  vector<lower=0>[P] placebo;
}
parameters {
  real<lower=0> drug_rate;
  real<lower=0> placebo_rate;
  vector<lower=drug_at_least>[C] drug_beyond;
}
model {
  drug_rate ~ gamma(1, 10);
  placebo_rate ~ gamma(1, 10);
  drug ~ exponential(drug_rate);
  drug_beyond ~ exponential(drug_rate);
  placebo ~ exponential(placebo_rate);
}
generated quantities {
  real hazard_ratio = placebo_rate / drug_rate;
}
