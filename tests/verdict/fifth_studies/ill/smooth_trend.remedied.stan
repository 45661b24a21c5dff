// A series of thirty years and its trend, whose second differences are all but zero, the trend's values as parameters: Hodrick and
// Prescott, Journal of Money, Credit and Banking 29 (1997); Harvey and Jaeger, Journal of Applied Econometrics 8 (1993);
// simulated. Neighbouring values are tied ten thousand times closer than the whole is known. Remedied: level, slope and
// standardised bends.
data {
  int<lower=3> T;
  vector[T] y;
}
parameters {
  real level;
  real slope;
  vector[T - 2] z;
}
transformed parameters {
  vector[T] trend;
  {
    vector[T - 1] step = append_row(0, cumulative_sum(0.0003 * z));
    for (t in 1:T) {
      trend[t] = level + slope * (t - 0.5 * (T + 1));
    }
    trend[2:T] += cumulative_sum(step);
  }
}
model {
  z ~ std_normal();
  y ~ normal(trend, 1.5);
}
