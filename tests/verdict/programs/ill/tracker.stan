// Ranges to a beacon from points on a straight road: on which side of the road is it?
// expect: multimodal side
// may: along
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] road;
  vector[N] distance;
}
parameters {
  real along;
  real side;  // here
}
model {
  along ~ normal(0, 50);
  side ~ normal(0, 50);  // here
  for (i in 1:N)
    distance[i] ~ normal(hypot(along - road[i], side), 0.5);  // here
}
