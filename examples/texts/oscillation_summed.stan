// oscillation.stan with amplitudes and noise integrated out: p(f, alpha | data) is proportional to
// (a b - c^2)^(-1/2) (d^2 - h^2)^(1 - n / 2), n the number of all outcomes, d^2 the sum of their squares. h^2 is the power spectrum
// of outcomes at any times in one channel or two [bretthorst1988]; `power` has it at the frequencies of the data.
functions {
  // (a, b, c, h^2): sums over both channels.
  vector sums(vector t_re, vector re, vector t_im, vector im, real f, real alpha) {
    vector[num_elements(re)] c_re = cos(2 * pi() * f * t_re) .* exp(-alpha * t_re);
    vector[num_elements(re)] s_re = sin(2 * pi() * f * t_re) .* exp(-alpha * t_re);
    vector[num_elements(im)] c_im = cos(2 * pi() * f * t_im) .* exp(-alpha * t_im);
    vector[num_elements(im)] s_im = sin(2 * pi() * f * t_im) .* exp(-alpha * t_im);
    real R = dot_product(re, c_re) - dot_product(im, s_im);
    real I = -dot_product(re, s_re) - dot_product(im, c_im);
    real a = dot_self(c_re) + dot_self(s_im);
    real b = dot_self(s_re) + dot_self(c_im);
    real c = -dot_product(c_re, s_re) + dot_product(s_im, c_im);
    return [a, b, c, (b * R^2 + a * I^2 - 2 * c * R * I) / (a * b - c^2)]';
  }
  real seen_lpdf(vector re, vector t_re, vector t_im, vector im, real f, real alpha) {
    vector[4] s = sums(t_re, re, t_im, im, f, alpha);
    real n = num_elements(re) + num_elements(im);
    return -0.5 * log(s[1] * s[2] - s[3]^2) + (1 - n / 2) * log(dot_self(re) + dot_self(im) - s[4]);
  }
}
data {
  int<lower=0> N_re, N_im;
  vector[N_re] t_re, re;
  vector[N_im] t_im, im;
  real<lower=0> f_low, f_high;
  int<lower=0> F;
  vector[F] frequencies;
}
parameters {
  real<lower=f_low, upper=f_high> f;
  real<lower=0, upper=2> alpha;
}
model {
  f ~ uniform(f_low, f_high);
  alpha ~ uniform(0, 2);
  target += seen_lpdf(re | t_re, t_im, im, f, alpha);
}
generated quantities {
  vector[F] power;
  for (k in 1:F) power[k] = sums(t_re, re, t_im, im, frequencies[k], 0)[4];
}
