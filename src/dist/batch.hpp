// Vectors, or arrays of vectors of one length, as the multivariate distributions take them: a
// single one serves all.
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

struct Batch {
  explicit Batch(const Expr& x_in)
      : x(x_in), count(x_in.shape().batch), length(count == 0 ? 0 : x_in.size() / count) {}
  Expr vector(Index b) const { return dist::part(x, b * length, length); }
  Expr x;
  Index count, length;
};

// How many outcomes there are: the longest of the arrays.
Index num_joined(std::initializer_list<Batch> all);

// `x`, which has the shape of `from`, once for each vector of `to` if it is a single one.
Expr repeat(const Expr& x, const Batch& from, const Batch& to);

// The outcomes less the locations as the columns of a matrix.
Expr differences(const Expr& y, const Expr& mu);

// y and mu: vectors of the size of the square matrix; `square_name` as messages call it.
void check_sizes(const Expr& y, const Expr& mu, const Expr& square, std::string_view function,
                 Checks& checks);

// Symmetric within 1e-8, and positive definite: its factor's diagonal is a number.
void check_covariance(const Expr& sigma, const Expr& factor, std::string_view function,
                      Checks& checks);

Expr diagonal(const Expr& square);
Expr lower_triangle(const Expr& square);

// Plain numbers: mu + L z with standard normal z.
std::vector<double> draw_with_factor(Rng& rng, std::span<const double> mu,
                                     std::span<const double> factor);

}  // namespace credo::dist
