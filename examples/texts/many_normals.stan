// A normal law in many dimensions. By rejection from a law that is 1.01 times as wide, one draw in 1.01^D is accepted
// [murphy2023, 11.4.4]:
//   credo sample examples/texts/many_normals.stan --data examples/texts/many_normals.json --sampler rejection --from normal
//     --reference-sd 1.01 --chains 1 --draws 5
data {
  int<lower=1> D;
}
parameters {
  vector[D] x;
}
model {
  x ~ normal(0, 1);
}
