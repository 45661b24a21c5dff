// Two normal variables of correlation beta: where samplers are compared (credo samplers).
data {
  real<lower=-1, upper=1> beta;
}
parameters {
  real x;
  real y;
}
model {
  x ~ std_normal();
  y ~ normal(beta * x, sqrt(1 - beta^2));
}
generated quantities {
  real xy = x * y;
}
