// Moments of distributions of vectors and matrices, as plain numbers in column-major order.
#pragma once
#include "dist/batch.hpp"

namespace credo::dist {

Expr identity(Index size);
double entropy_of_normals(Index count);  // entropy of independent standard ones

// mu + R x, x uncorrelated with this variance and this entropy; R triangular, positive diagonal.
Moments elliptical_moments(const Expr& mu, const Expr& root, double variance, double entropy);

// mu + R z with standard normal z.
std::vector<double> draw_with_root(Rng& rng, const Expr& mu, const Expr& root);

// Moments of L M without the entropy: M lower triangular with uncorrelated elements, whose means are 0
// beside the diagonal. `variances` column by column, below the diagonal and on it.
Moments triangular_moments(const Expr& factor, std::span<const double> diagonal_means,
                           std::span<const double> variances);

}  // namespace credo::dist
