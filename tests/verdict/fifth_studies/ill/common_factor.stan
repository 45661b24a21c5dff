// Changes of an exchange rate as ARMA(1, 1), an autoregression and a moving average that cancel each other: Box and Jenkins, Time
// Series Analysis (1976), section 7.3, on parameter redundancy; simulated as white noise. Only the sum of the coefficients is
// known.
// expect: flat_direction phi theta
// level: note
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  real<lower=-1, upper=1> phi;
  real<lower=-1, upper=1> theta;
  real<lower=0> sigma;
}
model {
  vector[T] error;
  sigma ~ normal(0, 2);
  error[1] = y[1];
  for (t in 2:T) {
    error[t] = y[t] - phi * y[t - 1] - theta * error[t - 1];
  }
  error ~ normal(0, sigma);
}
