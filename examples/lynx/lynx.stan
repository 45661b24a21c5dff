// Hares and lynxes: the equations of Lotka and Volterra behind counts of pelts.
functions {
  vector change(real t, vector z, real birth, real predation, real death, real conversion) {
    real hare = z[1], lynx = z[2];
    return [(birth - predation * lynx) * hare, (conversion * hare - death) * lynx]';
  }
}
data {
  int<lower=0> N;
  array[N] real year;
  vector<lower=0>[N] hare, lynx;  // thousands of pelts
}
transformed data {
  array[N - 1] real later = year[2:N];
}
parameters {
  real<lower=0> birth, predation, death, conversion;  // a year
  vector<lower=0>[2] start;                           // thousands, in the first year
  vector<lower=0>[2] sigma;                           // of the logarithms of the counts
}
transformed parameters {
  array[N] vector[2] z;
  z[1] = start;
  z[2:N] = ode_rk45_tol(change, start, year[1], later, 1e-4, 1e-4, 200, birth, predation, death, conversion);
}
model {
  birth ~ normal(0.7, 0.2);
  death ~ normal(0.7, 0.2);
  predation ~ normal(0.03, 0.01);
  conversion ~ normal(0.03, 0.01);
  start ~ lognormal(log(10), 1);
  sigma ~ lognormal(-1, 1);
  hare ~ lognormal(log(to_vector(z[:, 1])), sigma[1]);
  lynx ~ lognormal(log(to_vector(z[:, 2])), sigma[2]);
}
generated quantities {
  // the numbers about which the populations go round
  real hares_at_rest = death / conversion, lynxes_at_rest = birth / predation;
}
