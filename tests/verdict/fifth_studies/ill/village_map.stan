// A map of two villages from their distances to two towns, whose places are known, and to each other: multidimensional scaling, Oh
// and Raftery, Journal of the American Statistical Association 96 (2001); simulated. The mirror image of the map fits as well.
// expect: multimodal north
// may: east north
// sample: --chains 8
data {
  int<lower=1> N;
  array[N] int<lower=1, upper=5> pair;
  vector[N] measured;
}
parameters {
  vector[2] east;
  vector[2] north;
}
model {
  vector[5] distance_km;
  east ~ normal(2, 3);
  north ~ normal(0, 3);
  distance_km[1] = hypot(east[1], north[1]);
  distance_km[2] = hypot(east[1] - 4, north[1]);
  distance_km[3] = hypot(east[2], north[2]);
  distance_km[4] = hypot(east[2] - 4, north[2]);
  distance_km[5] = hypot(east[1] - east[2], north[1] - north[2]);
  measured ~ normal(distance_km[pair], 0.2);
}
