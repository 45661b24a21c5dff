// Altitude of the sun around noon by a precise theodolite, a parabola, drawn without a warm-up: Gauss, Theoria Motus (1809), on
// observations with known errors; simulated. The steps are ten thousand times too long, and chains stay where they start.
// expect: stuck_chain
// may: at_noon motion bend lp__
// sample: --warmup 0
// remedy: --warmup 1000
data {
  int<lower=1> N;
  vector[N] hour;
  vector[N] altitude;
}
parameters {
  real at_noon;
  real motion;
  real bend;
}
model {
  at_noon ~ normal(0, 2);
  motion ~ normal(0, 2);
  bend ~ normal(0, 2);
  altitude ~ normal(at_noon + motion * hour + bend * square(hour), 0.00004);
}
