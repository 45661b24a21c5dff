// A sinusoid that decays, seen in two channels at uneven times that aren't the same: frequency f, decay alpha, amplitudes and
// noise. Priors are uniform, that of the noise's scale 1 / sigma [bretthorst1988]:
//   credo sample examples/texts/oscillation.stan --data examples/texts/oscillation.json
data {
  int<lower=0> N_re, N_im;
  vector[N_re] t_re, re;
  vector[N_im] t_im, im;
  real<lower=0> f_low, f_high;
}
parameters {
  real<lower=f_low, upper=f_high> f;
  real<lower=0, upper=2> alpha;
  real<lower=-50, upper=50> A1, A2;
  real<lower=0> sigma;
}
model {
  target += -log(sigma);
  re ~ normal((A1 * cos(2 * pi() * f * t_re) - A2 * sin(2 * pi() * f * t_re)) .* exp(-alpha * t_re), sigma);
  im ~ normal(-(A1 * sin(2 * pi() * f * t_im) + A2 * cos(2 * pi() * f * t_im)) .* exp(-alpha * t_im), sigma);
}
