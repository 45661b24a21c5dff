// A prefix code for a normal number in bins of width h: bin n has log2(1 / P_n) bits, rounded up, so that the mean length is less
// than one bit above the entropy of the bins. The lengths of bins are a parabola.
//   credo expect examples/texts/code_lengths.stan --data examples/texts/code_lengths.json --of surprise --of length
data {
  real<lower=0> h;
}
parameters {
  real z;
}
transformed parameters {
  real bin = floor(z / h + 0.5);
  real surprise = -log_diff_exp(normal_lcdf(abs(bin) * -h + 0.5 * h | 0, 1), normal_lcdf(abs(bin) * -h - 0.5 * h | 0, 1)) / log(2);
  real length = ceil(surprise);
}
model {
  z ~ normal(0, 1);
}
