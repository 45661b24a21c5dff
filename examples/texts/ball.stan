// The likelihood exp(-|x|^2 / 2) under a prior that is uniform in a ball of radius R. mass is the share of the prior above the
// likelihood of x, so that L(mass) = exp(-R^2 mass^(2/n) / 2); nested sampling doesn't know that.
//   credo evidence examples/texts/ball.stan --data examples/texts/ball.json --method nested --live-points 1000
functions {
  real height_lpdf(vector centre, vector x) {
    return -0.5 * squared_distance(x, centre);
  }
}
data {
  int<lower=1> n;
  real<lower=0> R;
  vector[n] centre;
}
parameters {
  vector[n] direction;
  real<lower=0, upper=1> mass;
}
transformed parameters {
  vector[n] x = R * mass^(1.0 / n) * direction / sqrt(dot_self(direction));
}
model {
  direction ~ normal(0, 1);
  mass ~ uniform(0, 1);
  target += height_lpdf(centre | x);
}
