int<lower=0> N;
real x[N];
