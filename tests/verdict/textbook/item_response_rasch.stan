// Rasch's model: persons by their abilities, items by their difficulties.
data { int N; int I; int S; array[N] int<lower=1, upper=I> item; array[N] int<lower=1, upper=S> person; array[N] int<lower=0, upper=1> y; }
parameters { vector[S] ability; vector[I] difficulty; real<lower=0> spread; }
model {
  spread ~ lognormal(0, 0.3);
  ability ~ normal(0, spread);
  difficulty ~ normal(0, 1);
  y ~ bernoulli_logit(ability[person] - difficulty[item]);
}
