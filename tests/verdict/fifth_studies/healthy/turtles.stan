// Directions of turtles after they laid their eggs, von Mises' law by a vector whose length is the concentration: Stephens (1969), Techniques for Directional Data; Mardia and Jupp, Directional Statistics (2000); simulated. Accused: an angle near pi, which as a number has two heaps far apart.
data {
  int<lower=1> N;
  vector<lower=-pi(), upper=pi()>[N] direction;
}
parameters {
  vector[2] pull;
}
transformed parameters {
  real concentration = sqrt(dot_self(pull));
}
model {
  pull ~ normal(0, 3);
  target += pull[1] * sum(cos(direction)) + pull[2] * sum(sin(direction))
            - N * (log_modified_bessel_first_kind(0, concentration) + log(2 * pi()));
}
generated quantities {
  real mean_direction = atan2(pull[2], pull[1]);
  real resultant = exp(log_modified_bessel_first_kind(1, concentration) - log_modified_bessel_first_kind(0, concentration));
  real next_turtle = von_mises_rng(mean_direction, concentration);
}
