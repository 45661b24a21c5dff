// Changes of an exchange rate as ARMA(1, 1), an autoregression and a moving average that cancel each other: Box and Jenkins, Time
// Series Analysis (1976), section 7.3, on parameter redundancy; simulated as white noise. Only the sum of the coefficients is
// known. Remedied: the moving average left out.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 2);
  y[2:T] ~ normal(phi * y[1:T - 1], sigma);
}
