// Six peaks on a square, the highest 8.106 at (-0.01, 1.58) [murphy2023, 12.2.5]. One climb in six or so ends there; annealing finds it:
//   credo optimize examples/texts/peaks.stan --method anneal --starts 4 --seed 1
functions {
  real peaks(real x, real y) {
    return abs(3 * (1 - x)^2 * exp(-x^2 - (y + 1)^2)
               - 10 * (x / 5 - x^3 - y^5) * exp(-x^2 - y^2)
               - exp(-(x + 1)^2 - y^2) / 3);
  }
}
parameters {
  real<lower=-3, upper=3> x;
  real<lower=-3, upper=3> y;
}
model {
  target += log(peaks(x, y));
}
