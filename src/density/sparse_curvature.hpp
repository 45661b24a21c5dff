// Second and third derivatives of a log density in a block of its coordinates, as a sparse symmetric matrix.
//
//   B(x)_jk = ∂² log p(x) / ∂x_b(j) ∂x_b(k),   b the coordinates of the block
//
// The pattern is a superset of the places where B isn't zero, known before anything is evaluated.
#pragma once
#include "credo/sparse.hpp"
#include "density/log_density.hpp"

namespace credo::density {

// Working memory of one thread. Positions, directions and slopes have D values, all coordinates; values and weights one for each
// place of the pattern. A status that isn't ok refuses the point.
class SparseCurvatureAt {
 public:
  virtual ~SparseCurvatureAt() = default;
  virtual Status matrix(std::span<const double> position, std::span<double> values) = 0;
  // The second derivatives by all coordinates times a vector.
  virtual Status multiply(std::span<const double> position, std::span<const double> direction,
                          std::span<double> product) = 0;
  // The gradient, by all coordinates, of the sum of the values at places times fixed weights.
  virtual Status slope(std::span<const double> position, std::span<const double> weights,
                       std::span<double> slope) = 0;
};

class SparseCurvature {
 public:
  virtual ~SparseCurvature() = default;
  virtual std::shared_ptr<const numerics::SparsePattern> pattern() const = 0;
  // Products with the matrix that one evaluation of it takes.
  virtual Index num_products() const = 0;
  virtual std::unique_ptr<SparseCurvatureAt> make() const = 0;
};

}  // namespace credo::density
