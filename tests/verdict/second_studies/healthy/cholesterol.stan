// Cholesterol by body-mass index, which eight persons lack and which are parameters: Schafer, Analysis of Incomplete
// Multivariate Data (1997), the NHANES data; van Buuren, Flexible Imputation of Missing Data, chapter 2; simulated.
data {
  int<lower=1> N;
  int<lower=1> M;
  vector[N] bmi;
  vector[N] cholesterol;
  vector[M] cholesterol_unknown;
}
parameters {
  real<offset=27, multiplier=1> mean_bmi;
  real<lower=0> sd_bmi;
  vector<offset=mean_bmi, multiplier=sd_bmi>[M] bmi_unknown;
  real<offset=190, multiplier=5> alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  mean_bmi ~ normal(27, 5);
  sd_bmi ~ normal(0, 10);
  alpha ~ normal(190, 50);
  beta ~ normal(0, 10);
  sigma ~ normal(0, 50);
  bmi ~ normal(mean_bmi, sd_bmi);
  bmi_unknown ~ normal(mean_bmi, sd_bmi);
  cholesterol ~ normal(alpha + beta * (bmi - 27), sigma);
  cholesterol_unknown ~ normal(alpha + beta * (bmi_unknown - 27), sigma);
}
