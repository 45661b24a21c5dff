// Names that look like words of other languages, of distributions, or of truncation.
transformed data {
  real T = 1, const = 2, class = 3, normal = 4, f_lpdf = 5, x1_y = 6, e = 7, i = 8;
  real product = T * e * i;
  real lambda = T[1];
}
