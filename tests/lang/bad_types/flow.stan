// What is plain from the text: loops that never end, elements that are never given a value.
functions {
  real total(int n) {
    vector[n] all;
    for (i in 2:n) all[i] = i;
    return sum(all);
  }
}
data {
  int<lower=0> N;
  vector[N] y;
}
transformed data {
  array[3] int given;
  for (i in 1:3) given[i] = i;
}
parameters {
  real m;
}
transformed parameters {
  vector[2] theta;
  theta[2] = m;
}
model {
  vector[3] mu;
  vector[N] lag;
  matrix[2, 2] whole;
  vector[2] by_while;
  real never;
  vector[4] sizes;
  int i = 1;
  mu[2] = m;
  mu[3] += m;
  for (n in 2:N) lag[n] = y[n] + lag[n - 1];
  whole[1] = [1, 2];
  whole[2, ] = [1, 2];
  while (i < 3) {
    by_while[i] = m;
    i += 1;
  }
  m ~ normal(mu[1], mu[2]);
  m ~ normal(theta[1], sum(to_vector(whole)) + sum(by_while));
  m ~ normal(never, total(3) + given[1] + size(sizes));
  while (i < 10) target += m;
  while (1) {
    if (i > 2) break;
  }
  while (i < 20) i += 1;
  while (m > 0) m ~ normal(0, 1);
}
// expect warning: unset-element 6:16
// expect warning: unset-element 34:34
// expect warning: unset-element 41:14
// expect warning: unset-element 42:14
// expect warning: unset-element 43:14
// expect warning: endless-loop 44:10
// expect warning: endless-loop 49:10
