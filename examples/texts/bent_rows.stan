// Two local values for each observation, of which the sum of one and the square of the other is seen: their posteriors are bent along
// parabolas. A network of y finds them all by gated autoregressive steps [kingma2016]:
//   credo approximate examples/texts/bent_rows.stan --data examples/texts/bent_rows.json --method amortized --local z --features y --layers iaf:4 --max-steps 4000
data {
  int N;
  vector[N] y;
}
parameters {
  array[N] vector[2] z;
}
model {
  for (n in 1:N) {
    z[n] ~ std_normal();
    y[n] ~ normal(z[n][2] + square(z[n][1]), 0.4);
  }
}
