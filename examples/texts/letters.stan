// Letters of a language p in a code that was made for q, log2(1 / q) bits each: what it takes more than log2(1 / p) is the
// Kullback-Leibler divergence KL(p || q) on average.
//   credo sample examples/texts/letters.stan --data examples/texts/english_in_spanish.json -o letters.nc
//   credo summary letters.nc --of extra
data {
  int<lower=1> K;
  vector<lower=0>[K] p, q;
}
generated quantities {
  int letter = categorical_rng(p / sum(p));
  real extra = log2(p[letter] / sum(p)) - log2(q[letter] / sum(q));
}
