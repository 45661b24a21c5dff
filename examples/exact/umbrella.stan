// Rain outside, seen by whether an umbrella is brought inside: a hidden Markov chain of two states (Russell & Norvig 2020, ch. 14).
data {
  int<lower=1> T;
  array[T] int<lower=0, upper=1> umbrella;
}
parameters {
  array[T] int<lower=0, upper=1> rain;
}
model {
  rain[1] ~ bernoulli(0.5);
  for (t in 2 : T) {
    rain[t] ~ bernoulli(rain[t - 1] == 1 ? 0.7 : 0.3);
  }
  for (t in 1 : T) {
    umbrella[t] ~ bernoulli(rain[t] == 1 ? 0.9 : 0.2);
  }
}
