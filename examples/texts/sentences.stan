// Death sentences among G groups of defendants, each with a probability of its own: G = 1, one for all; 2, by the defendant or by
// the victim; 4, by both [mackay2003, ex. 28.4]. The outcomes are the single sentences, in their order, whatever the groups are: so
// the evidences of different groupings are of the same data.
//   credo evidence examples/texts/sentences.stan --data examples/texts/sentences_by_victim.json -o victim.json
functions {
  real each_lpmf(array[] int yes, array[] int no, vector p) {
    return dot_product(to_vector(yes), log(p)) + dot_product(to_vector(no), log1m(p));
  }
}
data {
  int<lower=1> G;
  array[G] int<lower=0> yes;
  array[G] int<lower=0> no;
  real<lower=0> a;
}
parameters {
  vector<lower=0, upper=1>[G] p;
}
model {
  p ~ beta(a, a);
  target += each_lpmf(yes | no, p);
}
