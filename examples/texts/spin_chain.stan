// N spins in a row, -1 and 1, that would be like their neighbours by J, and up by B: how many bits, or nats, has a word of N spins?
//   credo exact examples/texts/spin_chain.stan --data examples/texts/spin_chain.json --pairs
data {
  int<lower=2> N;
  real J, B;
}
parameters {
  array[N] int<lower=0, upper=1> up;
}
model {
  for (n in 1:N) target += B * (2 * up[n] - 1);
  for (n in 2:N) target += J * (2 * up[n] - 1) * (2 * up[n - 1] - 1);
}
