// Yields of millet in a Latin square, five spacings, rows and columns, each a batch of effects with a scale of its own: Snedecor
// and Cochran, Statistical Methods (1989); Gelman, Annals of Statistics 33 (2005), on analysis of variance; simulated. Rows of
// the field don't differ.
// expect: funnel sd_row/sd_column/of_row/of_column
// may: sd_row sd_column of_row of_column
data {
  int<lower=1> K;
  array[K * K] int<lower=1, upper=K> row;
  array[K * K] int<lower=1, upper=K> column;
  array[K * K] int<lower=1, upper=K> spacing;
  vector[K * K] y;
}
parameters {
  real mu;
  vector[K] of_row;
  vector[K] of_column;
  vector[K] of_spacing;
  real<lower=0> sd_row;
  real<lower=0> sd_column;
  real<lower=0> sd_spacing;
  real<lower=0> sigma;
}
model {
  mu ~ normal(25, 5);
  sd_row ~ normal(0, 2);
  sd_column ~ normal(0, 2);
  sd_spacing ~ normal(0, 3);
  sigma ~ normal(0, 2);
  of_row ~ normal(0, sd_row);
  of_column ~ normal(0, sd_column);
  of_spacing ~ normal(0, sd_spacing);
  y ~ normal(mu + of_row[row] + of_column[column] + of_spacing[spacing], sigma);
}
