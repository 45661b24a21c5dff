// Photons of six fields on and off a source of gamma rays: Li and Ma, Astrophysical Journal 272 (1983); Gregory, Bayesian Logical Data Analysis for the Physical Sciences (2005), chapter 14; made-up figures. Accused: sources with much mass near the bound zero, fluxes of a millionth, a ratio of fluxes.
data {
  int<lower=1> M;
  array[M] int<lower=0> on;
  array[M] int<lower=0> off;
  real<lower=0> off_by_on;
  vector<lower=0>[M] seconds;
}
parameters {
  vector<lower=0>[M] source;
  vector<lower=0>[M] background;
}
model {
  source ~ exponential(0.1);
  background ~ gamma(1, 0.05);
  on ~ poisson(source + background);
  off ~ poisson(off_by_on * background);
}
generated quantities {
  vector[M] flux = source ./ (seconds * 2500);
  real ratio = source[1] / source[2];
  array[M] int on_rep = poisson_rng(source + background);
  int strongest = sort_indices_desc(source)[1];
}
