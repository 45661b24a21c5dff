// The g-and-k distribution: quantiles are known, the density isn't. Data are simulated and compared by octiles.
functions {
  vector g_and_k_rng(int N, real a, real b, real g, real k) {
    vector[N] y;
    for (n in 1:N) {
      real z = std_normal_rng();
      y[n] = a + b * (1 + 0.8 * tanh(0.5 * g * z)) * z * pow(1 + square(z), k);
    }
    return y;
  }
  // Interpolated between neighbours in order.
  vector octiles(vector y) {
    int N = rows(y);
    vector[N] sorted = sort_asc(y);
    vector[7] q;
    for (i in 1:7) {
      int before = (i * (N - 1)) %/% 8;
      real share = i * (N - 1) / 8.0 - before;
      q[i] = (1 - share) * sorted[before + 1] + share * sorted[before + 2];
    }
    return q;
  }
}
data {
  int<lower=1> N;
  vector[N] y;
}
transformed data {
  vector[7] octiles_of_y = octiles(y);
}
parameters {
  real<lower=0, upper=10> a, b, g, k;
}
model {
  a ~ uniform(0, 10);
  b ~ uniform(0, 10);
  g ~ uniform(0, 10);
  k ~ uniform(0, 10);
}
generated quantities {
  vector[7] q = octiles(g_and_k_rng(N, a, b, g, k));
  vector[7] q_of_y = octiles_of_y;
}
