// Concentration of a drug after a tablet, absorbed and eliminated at rates with the same prior: Gibaldi and Perrier,
// Pharmacokinetics (1982); Yanez et al., Clinical Pharmacokinetics 50 (2011), flip-flop kinetics; simulated. Exchanged rates with
// another volume give the same curve.
// expect: multimodal ka/ke/volume
// expect: label_switching ka/ke
// may: ka ke volume
// sample: --chains 8
data {
  int<lower=1> N;
  real dose;
  vector[N] hour;
  vector<lower=0>[N] concentration;
}
parameters {
  real<lower=0> ka;
  real<lower=0> ke;
  real<lower=0> volume;
}
model {
  ka ~ lognormal(-1, 1);
  ke ~ lognormal(-1, 1);
  volume ~ lognormal(2, 1.5);
  concentration ~ lognormal(log(dose / volume * ka / (ka - ke) * (exp(-ke * hour) - exp(-ka * hour))), 0.1);
}
