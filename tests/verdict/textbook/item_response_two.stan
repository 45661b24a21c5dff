// Items that differ in their discrimination, too.
data { int N; int I; int S; array[N] int<lower=1, upper=I> item; array[N] int<lower=1, upper=S> person; array[N] int<lower=0, upper=1> y; }
parameters { vector[S] ability; vector[I] difficulty; vector<lower=0>[I] steepness; }
model {
  ability ~ std_normal();
  difficulty ~ normal(0, 1);
  steepness ~ lognormal(0, 0.4);
  y ~ bernoulli_logit(steepness[item] .* (ability[person] - difficulty[item]));
}
