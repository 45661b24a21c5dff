// Detections of owls on six visits at occupied and empty sites, with a probability of detection of at most one half, copied
// from a study of a shyer species: MacKenzie et al., Ecology 83 (2002), occupancy; simulated with a probability of 0.75.
// Remedied.
data {
  int<lower=1> S;
  int<lower=1> V;
  array[S] int<lower=0, upper=V> detections;
}
parameters {
  real<lower=0, upper=1> occupancy;
  real<lower=0, upper=1> detection;
}
model {
  occupancy ~ beta(1, 1);
  for (s in 1:S) {
    if (detections[s] > 0) {
      target += log(occupancy) + binomial_lpmf(detections[s] | V, detection);
    } else {
      target += log_mix(occupancy, binomial_lpmf(0 | V, detection), 0);
    }
  }
}
