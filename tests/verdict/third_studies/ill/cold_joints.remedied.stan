// Failures of joints by the temperature in degrees Fahrenheit, a probit regression with a predictor that isn't centred and wide
// priors: after Dalal, Fowlkes and Hoadley, Journal of the American Statistical Association 84 (1989); simulated. At nearly all
// starts the probabilities are 0 or 1 to the last digit. Remedied.
data {
  int<lower=1> N;
  vector[N] temperature;
  array[N] int<lower=0, upper=1> failed;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 1.5);
  beta ~ normal(0, 0.2);
  for (n in 1:N) {
    failed[n] ~ bernoulli(Phi(alpha + beta * (temperature[n] - mean(temperature))));
  }
}
